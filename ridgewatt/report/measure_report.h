// Results for programs that ran on the local board (`measure`, `compare`, `soak`, `govern`, ..) and
// for data loaders.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ridgewatt/answer/epochs.h"
#include "ridgewatt/answer/govern.h"
#include "ridgewatt/govern/phases.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/measure/compare.h"
#include "ridgewatt/measure/measure_command.h"
#include "ridgewatt/measure/microbench.h"
#include "ridgewatt/measure/soak.h"
#include "ridgewatt/measure/token_runs.h"
#include "ridgewatt/measure/token_server.h"
#include "ridgewatt/pipeline/loader_bench.h"
#include "ridgewatt/report/result.h"
#include "ridgewatt/report/table.h"
#include "ridgewatt/sweep/provenance.h"

namespace ridgewatt::report {

// JSON keys: command, status, time_ms, provenance ("measured" or "fake"), power (source, mean_w,
// peak_w, energy_j, error_j, samples, missing, mean_interval_ms, largest_gap_ms; null without a
// sensor; error_j is null if unknown), idle_w, rails, minibatches (count, time_ms, time_lo_ms,
// time_hi_ms, fetch_stall_ms, compute_ms, power_w, energy_j), phases, series, residency (clock,
// source, time_ms, shares), io, disks, files, notes, values, conditions, throttled, cpu,
// peak_memory_bytes, sampler.
Json measurement_to_json(const measure::Measurement& measurement,
                         const std::vector<std::string>& command, Provenance provenance);
// The rows are in this order: time, power and energy, runs of language models, machine activity
// during the run.
Table measurement_table(const measure::Measurement& measurement, Provenance provenance,
                        std::span<const measure::TokenRun> runs = {});

// Limitations of the figures: too few power samples, ignored marks, no minibatch after the warm-up.
std::vector<std::string> measurement_remarks(const measure::Measurement& measurement);

// One row per minibatch of the window; begin_s is relative to the start of the command.
std::string minibatches_csv(const measure::Measurement& measurement);
// One row per reading: time_s since the start of the command (negative during the idle baseline),
// channel ("power:VDD_IN", "clock:gpu", "load:cpu", "temperature:..", "fan:..", "memory:used"),
// value in SI units. If the power of the module is a sum of rails, there is also "power:total".
std::string series_csv(const measure::Measurement& measurement);

// Runs of language models, one row each. docs/reference/json.md#measure lists the keys, which are
// those of `ridgewatt llm` for the same quantities. Values that were not measured are null.
Result token_runs_result(std::span<const measure::TokenRun> runs, Provenance provenance);

// The measurement of a command; for a server or llama-bench also with "runs".
Result measurement_result(const measure::TokenMeasurement& measured,
                          const std::vector<std::string>& command, Provenance provenance);
// Appends the rows of `runs` to a measurement_table().
void add_token_rows(std::span<const measure::TokenRun> runs, Table& table);

// Runs that have both times, in the CSV layout that `evaluate llm` reads, and why other runs are
// left out.
struct EngineRowsText {
  std::string csv;
  std::vector<std::string> left_out;
};
EngineRowsText engine_rows_csv(std::span<const measure::TokenRun> runs);

// One sentence: "holds MODE_30W: it ends at 71.2 C (70.4 to 72.0), 23.8 K below the trip
// temperature".
std::string soak_sentence(const measure::SoakSummary& summary);
// The result of a soak test: verdict, temperatures and trip point, sustained speed, fitted
// constants.
Result soak_result(const measure::SoakSummary& summary, const std::vector<std::string>& command,
                   Provenance provenance);

// A comparison of two commands or modes on the board named `board`.
Result comparison_result(const measure::ComparedCommands& compared, const std::string& board,
                         Provenance provenance);

// Peak, bandwidth, and the points of the intensity sweep.
Result microbench_result(const measure::MachineBench& bench);

// "40000 minibatches within 6 h 0 min at the least energy, under 30 W".
std::string goal_text(const govern::Goal& goal);
// How well the goal was met. Live and simulated runs have the same columns for steps.
Result govern_result(const answer::GovernAnswer& found);
Table govern_steps_table(const std::vector<answer::GovernStep>& steps);
// Why a plan does not reach its goal, with its expected end. Empty if it reaches the goal.
std::string unreachable_text(const govern::Goal& goal, const govern::Decision& plan);
// "the program did 2 of the 48 minibatches ..", for a program on a fake board that does not keep up
// with the times that it marks. Empty: it keeps up.
std::string pace_remark(const answer::GovernAnswer& found);
// The cost of each phase of a program in its mode.
Result phases_result(const govern::PhaseOutcome& outcome, const std::string& device,
                     Provenance provenance);

// The cost of a training epoch including its data. `epochs` is the result of answer::epochs_of().
Result epochs_result(const answer::EpochAnswer& found,
                     const std::vector<answer::NamedEpoch>& epochs);
// Times of a loader for real files.
Result loader_result(const std::vector<pipeline::LoaderRow>& rows,
                     const pipeline::LoaderBench& bench);

}  // namespace ridgewatt::report
