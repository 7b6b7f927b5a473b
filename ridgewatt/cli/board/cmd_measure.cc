// ridgewatt measure: time, energy and power of any program, of a language model server, or from
// the result files of other benchmarks.
#include <optional>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/interrupt_note.h"
#include "ridgewatt/cli/options/device_options.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/cli/options/option_rules.h"
#include "ridgewatt/cli/options/profile_options.h"
#include "ridgewatt/cli/options/token_options.h"
#include "ridgewatt/measure/measure_command.h"
#include "ridgewatt/measure/run_conditions.h"
#include "ridgewatt/report/measure_report.h"

namespace ridgewatt::cli {
namespace {

struct MeasureCommand {
  DeviceOptions device;
  measure::MeasureOptions measure;
  std::string minibatches_file;
  std::string series_file;
  platform::JetsonModeControl::Options control;
  measure::CacheOptions cache;
  TokenOptions tokens;
  std::string results_file, power_file, rows_file;
  std::optional<double> idle_w;
  std::string quantization, runtime;  // for runs that do not state them
};

// Sets a property that the source of a run does not state. If the source states another value,
// prints a remark.
void complete(const Context& context, const char* option, const std::string& given,
              std::string& stated) {
  if (given.empty() || given == stated) return;
  if (stated.empty()) {
    stated = given;
  } else {
    remark(context, fmt::format("{} has no effect: the run states {}", option, stated));
  }
}

// Completes the runs with the user's options, and writes rows for `evaluate llm`.
void finish_runs(const Context& context, const MeasureCommand& options,
                 std::vector<measure::TokenRun>& runs) {
  for (auto& run : runs) {
    complete(context, "--quantization", options.quantization, run.quantization);
    complete(context, "--runtime", options.runtime, run.engine);
    if (!options.tokens.server.model.empty()) run.model = options.tokens.server.model;
  }
  if (options.rows_file.empty()) return;
  if (runs.empty()) {
    throw NotFoundError("there is no run of a language model to write with --llm-rows",
                        options.rows_file, "COMMAND did not mark the phases prefill and decode");
  }
  const auto rows = report::engine_rows_csv(measure::with_joined_phases(runs));
  for (const auto& reason : rows.left_out) remark(context, "left out of the rows: " + reason);
  write_output(options.rows_file, rows.csv);
}

// Reads results that a program wrote earlier, with the power that was recorded at the same time.
void read_results(const Context& context, const MeasureCommand& options) {
  auto runs = measure::read_token_runs(options.results_file, options.power_file, options.idle_w);
  check_table_options(context, report::token_runs_result({}, Provenance::kReplayed));
  finish_runs(context, options, runs);
  print(context, report::token_runs_result(runs, Provenance::kReplayed));
}

void print_measurement(const Context& context, const MeasureCommand& options,
                       const measure::TokenMeasurement& measured, Provenance provenance) {
  std::vector<std::string> command = options.measure.command;
  if (command.empty()) command = {options.tokens.server.url};
  print(context, report::measurement_result(measured, command, provenance));
  if (!options.minibatches_file.empty()) {
    write_output(options.minibatches_file, report::minibatches_csv(measured.measurement));
  }
  if (!options.series_file.empty()) {
    write_output(options.series_file, report::series_csv(measured.measurement));
  }
}

measure::TokenMeasurement measured(const platform::LocalDevice& device,
                                   const MeasureCommand& options) {
  platform::PowerMeter meter(*device.sysfs);
  if (options.tokens.asks_server()) {
    measure::ServerQuestion question = options.tokens.server;
    question.warm_up = options.measure.window.warm_up;
    return measure::measure_server(*device.sysfs, options.measure, question, meter);
  }
  if (options.tokens.llama_bench) {
    return measure::measure_llama_bench(*device.sysfs, options.measure, meter);
  }
  measure::TokenMeasurement result{measure::measure_command(*device.sysfs, options.measure, meter),
                                   {}};
  result.runs = measure::marked_token_runs(result.measurement);
  return result;
}

void run(const Context& context, const MeasureCommand& options) {
  check_table_options(context, report::measurement_result({}, {}, Provenance::kMeasured));
  const auto device = options.device.open(context);
  const measure::RunCache cache(options.cache);
  std::optional<measure::FullFan> fan;
  if (options.control.full_fan) fan.emplace(*device.sysfs, options.device.state_folder);
  InterruptNote note;
  note.set("nothing is kept, because measure writes its result at the end");
  cache.prepare();
  auto result = measured(device, options);
  if (fan) fan->check();
  result.measurement.conditions = measure::condition_words(options.control.full_fan, options.cache);
  finish_runs(context, options, result.runs);
  print_measurement(context, options, result, device.provenance());
  check_status(result.measurement.status, options.measure.command);
}

void check_and_run(const Context& context, MeasureCommand& options, const CLI::App& command) {
  finish_token_options(command, context, options.tokens);
  if (options.results_file.empty()) {
    refuse_without_effect(command, {"--power-trace", "--idle-power"}, "without --results");
    if (options.measure.command.empty() && !options.tokens.asks_server()) {
      throw UsageError("measure has nothing to measure", "",
                       "give a program after --, --server URL or --results FILE");
    }
    return run(context, options);
  }
  refuse_without_effect(
      command,
      {"--server", "--llama-bench", "--device", "--sysroot", "--state-dir", "--sampling-hz",
       "--idle", "--warm-up", "--meter", "--meter-total", "--residency", "--full-fan",
       "--fill-cache", "--drop-cache", "--minibatches-csv", "--series-csv", "COMMAND"},
      "with --results");
  if (options.power_file.empty()) {
    refuse_without_effect(command, {"--idle-power"}, "without --power-trace");
  }
  read_results(context, options);
}

void add_result_options(CLI::App& command, MeasureCommand& options) {
  const OptionAdder add(command, kLanguageGroup);
  add.input("--results", options.results_file,
            "Result file of llama-bench, aiperf or vLLM to read, in place of a run");
  add.input("--power-trace", options.power_file,
            "CSV of the power during the runs of --results: columns unix_s or time_s, and power_w");
  add.optional("--idle-power", options.idle_w, watts(), "Power of the idle board, with --results");
  add.output("--llm-rows", options.rows_file, "Write the runs as rows that `evaluate llm` reads");
  add.words("--quantization", options.quantization, {answer::recipes},
            "Quantization of the model, if neither the command nor the server states it");
  add.words("--runtime", options.runtime, {answer::engines},
            "Engine that runs the model, if neither the command nor the server states it");
}

}  // namespace

void add_measure(CLI::App& app, Context& context) {
  const auto [command, options, add] =
      define<MeasureCommand>(app, context, "measure", "Time, energy and power of a program",
                             "ridgewatt measure -- python3 train.py", check_and_run);
  add_device_options(command, options.device);
  add.sampling(options.measure.rate_hz);
  add.number("--idle", options.measure.idle_s, seconds().within(0, 3600),
             "Seconds to measure idle power before the program starts");
  add.number("--warm-up", options.measure.window.warm_up, count().within(1, 1e6),
             "Minibatches (or requests to a server) at the start that are not counted");
  add.input("--meter", options.measure.meter,
            "CSV that an external meter writes during the run (docs/guide/measure.md)");
  add.flag("--meter-total", options.measure.meter_is_total,
           "Use the power of the meter, not that of the rails, as total power");
  add.text("--residency", options.measure.watched_files,
           "Print how much of this file or folder is in the page cache, before and after the run")
      ->type_name("PATH");
  add_condition_options(command, options.control, options.cache);
  add.output("--minibatches-csv", options.minibatches_file,
             "Write time, stall, computation and energy of each minibatch to this CSV");
  add.output("--series-csv", options.series_file,
             "Write power, clocks, loads and temperatures over time to this CSV");
  add_token_options(command, options.tokens);
  add_result_options(command, options);
  add.text("COMMAND", options.measure.command, "Program and its arguments, after --");
}

}  // namespace ridgewatt::cli
