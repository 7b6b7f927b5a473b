// ridgewatt soak: does the board hold this mode, or does it throttle?
#include <fmt/format.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/options/device_options.h"
#include "ridgewatt/cli/options/mode_text.h"
#include "ridgewatt/cli/options/thermal_options.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/measure/soak.h"
#include "ridgewatt/platform/jetson_identity.h"
#include "ridgewatt/platform/mode_control.h"
#include "ridgewatt/report/measure_report.h"
#include "ridgewatt/thermal/thermal_file.h"

namespace ridgewatt::cli {
namespace {

struct SoakCommand {
  DeviceOptions device;
  measure::SoakOptions soak;
  std::string mode;
  std::string trace_file, thermal_file;
  bool full_fan = false;
  double ambient_celsius = 0, trip_celsius = 0, minutes = 60;
};

thermal::ThermalFile thermal_file(const SoakCommand& options, const platform::LocalDevice& device,
                                  const measure::SoakSummary& summary) {
  if (!summary.fit) {
    throw Error("the temperature hardly changed: no thermal constants", options.thermal_file,
                "soak a heavier load, or for longer");
  }
  thermal::ThermalFile file;
  file.fit = *summary.fit;
  const auto jetson = platform::identify_jetson(*device.sysfs);
  if (jetson) file.board = jetson->board;
  file.provenance = device.provenance();
  file.origin = fmt::format("{}, {:.0f} min of {}; ridgewatt soak", today_text(),
                            summary.duration_s / 60, options.soak.command[0]);
  return file;
}

void run(const Context& context, const CLI::App& command, SoakCommand& options) {
  if (command.count("--ambient") > 0) options.soak.ambient_celsius = options.ambient_celsius;
  if (command.count("--trip") > 0) options.soak.trip_celsius = options.trip_celsius;
  options.soak.at_most_s = 60 * options.minutes;
  options.soak.check();
  const auto device = options.device.open(context);
  platform::JetsonModeControl::Options control_options{options.device.state_folder,
                                                       options.soak.max_celsius};
  control_options.full_fan = options.full_fan;
  std::optional<platform::JetsonModeControl> control;
  if (!options.mode.empty() || options.full_fan) {
    control.emplace(*device.sysfs, control_options);
    if (!options.mode.empty())
      apply_mode(*control, options.mode);
    else
      control->apply(PowerMode{});
  }
  const measure::SoakSummary summary = measure::soak_command(*device.sysfs, options.soak);
  if (control) control->restore();
  if (context.json())
    print(context, report::soak_to_json(summary, options.soak.command, device.provenance()));
  else
    print(context, report::soak_table(summary, device.provenance()));
  if (!options.trace_file.empty()) {
    write_output(options.trace_file, thermal::heat_trace_csv(summary.trace));
  }
  if (!options.thermal_file.empty()) {
    write_output(options.thermal_file,
                 thermal::thermal_file_text(thermal_file(options, device, summary)));
  }
  check_status(summary.status, options.soak.command);
}

}  // namespace

void add_soak(CLI::App& app, Context& context) {
  auto* command = add_command(app, context, "soak", "Whether the board holds a mode, or throttles",
                              "ridgewatt soak --mode MODE_30W --minutes 30 -- python3 train.py");
  auto options = std::make_shared<SoakCommand>();
  add_device_options(*command, options->device);
  command->add_option("--mode", options->mode,
                      std::string("Set this meanwhile, restored at the end: ") + kModeText);
  quantity(command->add_option("--minutes", options->minutes, "At most; ends when it knows"),
           number().within(0.1, 10000))
      ->capture_default_str();
  command->add_flag("--to-the-end", options->soak.to_the_end,
                    "Go on until --minutes or the command's end, even when the answer is known");
  quantity(command->add_option("--idle", options->soak.idle_s, "Seconds at rest before"),
           seconds().within(0, 1e5))
      ->capture_default_str();
  quantity(command->add_option("--sampling-hz", options->soak.rate_hz, "Power sampling rate"),
           hertz().within(1, 1000))
      ->capture_default_str();
  quantity(command->add_option("--ambient", options->ambient_celsius,
                               "Temperature around the board; else fitted"),
           celsius().within(-60, 100));
  quantity(command->add_option("--trip", options->trip_celsius,
                               "Temperature at which it throttles; else the kernel's passive trip"),
           celsius());
  quantity(command->add_option("--max-celsius", options->soak.max_celsius,
                               "End the program above this temperature"),
           celsius())
      ->capture_default_str();
  command->add_flag("--full-fan", options->full_fan, "Fan at full speed meanwhile");
  output_file(command->add_option("--trace", options->trace_file,
                                  "Write power, temperature and fan over time to this CSV"));
  output_file(command->add_option("-o,--output", options->thermal_file,
                                  "Write the fitted constants to this file, for --thermal"));
  command->add_option("COMMAND", options->soak.command, "Program and its arguments, after --")
      ->required();
  command->callback([&context, options, command] { run(context, *command, *options); });
}

}  // namespace ridgewatt::cli
