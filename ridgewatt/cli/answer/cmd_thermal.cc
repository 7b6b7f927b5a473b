// ridgewatt thermal: a board's thermal constants from a trace, and how long it can hold a power.
#include "ridgewatt/answer/soak.h"
#include "ridgewatt/cli/options/parameters.h"
#include "ridgewatt/report/calibrate_report.h"
#include "ridgewatt/thermal/thermal_file.h"

namespace ridgewatt::cli {
namespace {

struct ThermalCommand {
  std::string trace, zone, board, output;
  bool fake = false;
  answer::HeatQuestion heat;
};

void fit_trace(const Context& context, const ThermalCommand& options) {
  const auto found = answer::constants_of_trace(
      options.trace, options.zone, options.board,
      options.fake ? Provenance::kFake : Provenance::kReplayed, options.heat);
  if (!found.file.fit.converged)
    remark(context, "the fit did not converge; its last iteration is used");
  if (!found.file.fit.trip_celsius) {
    remark(
        context,
        "the file has no trip temperature; give --trip here or to the commands that use the file");
  }
  const report::Result result = report::thermal_fit_result(found);
  check_table_options(context, result);
  if (!options.output.empty()) {
    write_output(options.output, thermal::thermal_file_text(found.file));
    if (options.output == "-") return;
  }
  print(context, result);
}

void hold(const Context& context, const answer::HoldRequest& asked) {
  print(context, report::hold_table(answer::how_long(asked, context.seed)));
}

void add_fit(CLI::App& thermal, Context& context) {
  const auto [command, options, add] =
      define<ThermalCommand>(thermal, context, "fit", "Thermal constants from a recorded trace",
                             "ridgewatt thermal fit trace.csv -o thermal.toml", fit_trace);
  add.input("TRACE", options.trace, "CSV of soak --trace or of measure --series-csv")->required();
  add.text("--zone", options.zone, "Temperature zone to use, if the trace has several");
  add.board("--board", options.board, "Name of the board, written to the file");
  add.flag("--fake", options.fake, "The trace is from a fake board; recorded in the file");
  add.ambient(options.heat.ambient_celsius);
  add.optional("--trip", options.heat.trip_celsius, celsius(),
               "Temperature at which the board throttles");
  add.output("-o,--output", options.output,
             "Write the constants to this file, for --thermal of other commands");
}

}  // namespace

void add_thermal(CLI::App& app, Context& context) {
  auto* thermal = add_command(app, context, "thermal",
                              "For how long a board can hold a power before it throttles",
                              "ridgewatt thermal fit trace.csv --trip 95 -o thermal.toml\n  "
                              "ridgewatt thermal hold thermal.toml --power 30,40 --ambient 35");
  thermal->require_subcommand(1);
  add_fit(*thermal, context);
  define<answer::HoldRequest>(*thermal, context, answer::thermal_hold_parameters(), hold);
}

}  // namespace ridgewatt::cli
