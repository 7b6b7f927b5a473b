// ridgewatt thermal: a board's thermal constants from a trace, and for how long it holds a power.
#include <fmt/format.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/options/thermal_options.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/report/calibrate_report.h"
#include "ridgewatt/thermal/heat_trace.h"
#include "ridgewatt/thermal/hold.h"
#include "ridgewatt/thermal/thermal_file.h"

namespace ridgewatt::cli {
namespace {

struct ThermalCommand {
  std::string trace, zone, board, output;
  bool fake = false;
  ThermalOptions thermal;
  std::vector<double> powers_w;
};

void fit_trace(const Context& context, const CLI::App& command, const ThermalCommand& options) {
  thermal::ThermalFitOptions fit_options;
  const auto question = options.thermal.question(command);
  fit_options.ambient_celsius = question.ambient_celsius;
  const thermal::HeatTrace trace = thermal::read_heat_trace(options.trace, options.zone);
  thermal::ThermalFile file;
  file.fit = thermal::fit_thermal(trace, fit_options);
  file.fit.trip_celsius = question.trip_celsius;
  file.board = options.board;
  file.provenance = options.fake ? Provenance::kFake : Provenance::kReplayed;
  const auto slash = options.trace.find_last_of('/');
  file.origin =
      fmt::format("{}, {} rows of {}; ridgewatt thermal fit", today_text(), trace.rows.size(),
                  slash == std::string::npos ? options.trace : options.trace.substr(slash + 1));
  if (!file.fit.converged) remark(context, "the fit did not converge: its last step is used");
  if (!file.fit.trip_celsius) {
    remark(context, "the file will name no trip: give --trip here or where it is asked");
  }
  if (!options.output.empty()) {
    write_output(options.output, thermal::thermal_file_text(file));
    if (options.output == "-") return;
  }
  const report::Table table = report::thermal_fit_table(file.fit);
  if (context.json()) {
    return print(context, Json{{"constants", table.to_json()},
                               {"rows", trace.rows.size()},
                               {"duration_s", file.fit.duration_s},
                               {"rmse_k", file.fit.rmse_k},
                               {"rounding_k", file.fit.step_k},
                               {"zone", trace.zone},
                               {"converged", file.fit.converged}});
  }
  print(context, table);
  if (context.csv()) return;
  std::cout << fmt::format(
      "\n{} rows over {:.1f} min; modelled against recorded temperatures {:.2f} K (rms)\n",
      trace.rows.size(), file.fit.duration_s / 60, file.fit.rmse_k);
}

void hold(const Context& context, const CLI::App& command, const ThermalCommand& options) {
  const thermal::ThermalFile file = options.thermal.read();
  thermal::HoldQuestion question = options.thermal.question(command);
  question.seed = context.seed;
  std::vector<thermal::HoldAnswer> answers;
  for (const double power_w : options.powers_w) {
    question.power_w = power_w;
    answers.push_back(thermal::how_long(file.fit, question));
  }
  print(context, report::hold_table(answers));
}

}  // namespace

void add_thermal(CLI::App& app, Context& context) {
  auto* thermal = add_command(app, context, "thermal", "Heat of a board: how long it holds a power",
                              "ridgewatt thermal fit trace.csv --trip 95 -o thermal.toml\n  "
                              "ridgewatt thermal hold thermal.toml --power 30,40 --ambient 35");
  thermal->require_subcommand(1);
  auto options = std::make_shared<ThermalCommand>();
  auto* fit = add_command(*thermal, context, "fit", "Thermal constants from a recorded trace",
                          "ridgewatt thermal fit trace.csv -o thermal.toml");
  input_file(
      fit->add_option("TRACE", options->trace, "CSV of soak --trace or of measure --series-csv"))
      ->required();
  fit->add_option("--zone", options->zone, "Temperature zone, of a series with several");
  fit->add_option("--board", options->board, "Name of the board, for the file");
  fit->add_flag("--fake", options->fake, "The trace is of a fake board: the file says so");
  quantity(fit->add_option("--ambient", options->thermal.ambient_celsius,
                           "Temperature around the board; else fitted"),
           celsius().within(-60, 100));
  quantity(fit->add_option("--trip", options->thermal.trip_celsius,
                           "Temperature at which the board throttles"),
           celsius());
  output_file(fit->add_option("-o,--output", options->output, "File for --thermal"));
  fit->callback([&context, options, fit] { fit_trace(context, *fit, *options); });
  auto* hold_command = add_command(*thermal, context, "hold", "For how long a power is held",
                                   "ridgewatt thermal hold thermal.toml --power 30,40");
  input_file(hold_command->add_option("FILE", options->thermal.file, "Thermal constants"))
      ->required();
  quantity(hold_command->add_option("--power", options->powers_w, "Powers, at 50 C")
               ->delimiter(',')
               ->required(),
           watts().positive());
  options->thermal.add_to(*hold_command, false);
  hold_command->callback(
      [&context, options, hold_command] { hold(context, *hold_command, *options); });
}

}  // namespace ridgewatt::cli
