// ridgewatt soak: does the board hold this mode, or does it throttle?
#include "ridgewatt/answer/soak.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/interrupt_note.h"
#include "ridgewatt/cli/options/device_options.h"
#include "ridgewatt/cli/options/mode_text.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/measure/soak.h"
#include "ridgewatt/platform/mode_control.h"
#include "ridgewatt/report/measure_report.h"

namespace ridgewatt::cli {
namespace {

struct SoakCommand {
  DeviceOptions device;
  measure::SoakOptions soak;
  std::string mode;
  std::string trace_file, thermal_file;
  bool full_fan = false;
  double minutes = 60;
};

void run(const Context& context, SoakCommand& options) {
  options.soak.at_most_s = 60 * options.minutes;
  options.soak.check();
  check_table_options(context, report::soak_result({}, {}, Provenance::kMeasured));
  const auto device = options.device.open(context);
  platform::JetsonModeControl::Options control_options{options.device.state_folder,
                                                       options.soak.max_celsius};
  control_options.full_fan = options.full_fan;
  InterruptNote note;  // before the mode control, whose handler of signals then prints it
  note.set("nothing is kept, because soak writes its result at the end");
  std::optional<platform::JetsonModeControl> control;
  if (!options.mode.empty() || options.full_fan) {
    control.emplace(*device.sysfs, control_options);
    if (!options.mode.empty())
      remark_on_clocks(context, options.mode, apply_mode(*control, options.mode));
    else
      control->apply(PowerMode{});
  }
  const measure::SoakSummary summary = measure::soak_command(*device.sysfs, options.soak);
  if (control) control->restore();
  print(context, report::soak_result(summary, options.soak.command, device.provenance()));
  if (!options.trace_file.empty()) {
    write_output(options.trace_file, thermal::heat_trace_csv(summary.trace));
  }
  if (!options.thermal_file.empty()) {
    const auto file = answer::soaked_constants(summary, device, options.soak.command[0]);
    if (!file) {
      throw Error(
          "the thermal constants cannot be fitted, because the temperature hardly changed; not "
          "written",
          options.thermal_file, "run a heavier load, or run it for longer");
    }
    write_output(options.thermal_file, thermal::thermal_file_text(*file));
  }
  check_status(summary.status, options.soak.command);
}

}  // namespace

void add_soak(CLI::App& app, Context& context) {
  const auto [command, options, add] =
      define<SoakCommand>(app, context, "soak", "Whether the board holds a mode, or throttles",
                          "ridgewatt soak --mode MODE_30W --minutes 30 -- python3 train.py", run);
  add_device_options(command, options.device);
  add.words("--mode", options.mode, {answer::presets},
            std::string("Set this mode during the run, restored at the end: ") + kModeText);
  add.number("--minutes", options.minutes, number().within(0.1, 10000),
             "Maximum duration in minutes; ends earlier when the answer is known");
  add.flag("--to-the-end", options.soak.to_the_end,
           "Run until --minutes or the end of the command, even if the answer is known earlier");
  add.number("--idle", options.soak.idle_s, seconds().within(0, 1e5),
             "Seconds to record the idle board before the program starts");
  add.sampling(options.soak.rate_hz);
  add.ambient(options.soak.ambient_celsius);
  add.optional("--trip", options.soak.trip_celsius, celsius(),
               "Temperature at which the board throttles [the kernel's passive trip point]");
  add.number("--max-celsius", options.soak.max_celsius, celsius(),
             "End the program if the chip exceeds this temperature");
  add.flag("--full-fan", options.full_fan, "Run the fan at full speed");
  add.output("--trace", options.trace_file,
             "Write power, temperature and fan over time to this CSV");
  add.output("-o,--output", options.thermal_file,
             "Write the fitted constants to this file, for --thermal");
  add.text("COMMAND", options.soak.command, "Program and its arguments, after --")->required();
}

}  // namespace ridgewatt::cli
