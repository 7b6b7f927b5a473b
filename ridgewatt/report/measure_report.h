// What a measured command, server of language models or soak cost, as JSON and as a table.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ridgewatt/io/json.h"
#include "ridgewatt/measure/measure_command.h"
#include "ridgewatt/measure/soak.h"
#include "ridgewatt/measure/token_runs.h"
#include "ridgewatt/measure/token_server.h"
#include "ridgewatt/report/table.h"
#include "ridgewatt/sweep/provenance.h"

namespace ridgewatt::report {

// command, status, time_ms, provenance ("measured" or "fake"), power (source, mean_w, peak_w,
// energy_j, error_j, samples, missing, mean_interval_ms, largest_gap_ms; null without a sensor),
// idle_w, rails, minibatches (count, time_ms, time_lo_ms, time_hi_ms, fetch_stall_ms, compute_ms,
// power_w, energy_j), phases, series, residency (clock, source, time_ms, shares), io, disks, files,
// notes, values, conditions, throttled, cpu, peak_memory_bytes, sampler.
Json measurement_to_json(const measure::Measurement& measurement,
                         const std::vector<std::string>& command, Provenance provenance);
// The runs of language models behind time, power and energy, before what the machine did meanwhile.
Table measurement_table(const measure::Measurement& measurement, Provenance provenance,
                        std::span<const measure::TokenRun> runs = {});

// One row per minibatch of the window; begin_s counts from the start of the command.
std::string minibatches_csv(const measure::Measurement& measurement);
// Every reading, a row each: time_s since the start of the command (negative: the idle baseline),
// channel ("power:VDD_IN", "clock:gpu", "load:cpu", "temperature:..", "fan:..", "memory:used"),
// value in SI; "power:total" where the module's power is a sum of rails.
std::string series_csv(const measure::Measurement& measurement);

// Runs of language models, a row each; docs/reference/json.md#measure lists the keys, which are
// those of `ridgewatt llm` where they mean the same. What was not measured is null.
Json token_runs_json(std::span<const measure::TokenRun> runs, Provenance provenance);
Table token_runs_table(std::span<const measure::TokenRun> runs, Provenance provenance);

// A measurement of a server or of llama-bench: as measurement_to_json, with "runs".
Json token_measurement_json(const measure::TokenMeasurement& measured,
                            const std::vector<std::string>& command, Provenance provenance);
// The rows of runs in a measurement_table.
void add_token_rows(std::span<const measure::TokenRun> runs, Table& table);

// The rows with both times in the layout that `evaluate llm` reads, and why others are left out.
struct EngineRowsText {
  std::string csv;
  std::vector<std::string> left_out;
};
EngineRowsText engine_rows_csv(std::span<const measure::TokenRun> runs);

// A soak: verdict, temperatures against the trip, what speed lasts, fitted constants.
Json soak_to_json(const measure::SoakSummary& summary, const std::vector<std::string>& command,
                  Provenance provenance);
Table soak_table(const measure::SoakSummary& summary, Provenance provenance);
// "holds MODE_30W: it ends at 71.2 C (70.4 to 72.0), 23.8 K below the trip".
std::string soak_sentence(const measure::SoakSummary& summary);

}  // namespace ridgewatt::report
