#include "ridgewatt/cli/board/govern_phases.h"

#include "ridgewatt/base/error.h"
#include "ridgewatt/cli/options/end_by_signal.h"
#include "ridgewatt/cli/options/mode_text.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/device/mode_text.h"
#include "ridgewatt/measure/live_program.h"
#include "ridgewatt/report/measure_report.h"
#include "ridgewatt/report/mode_json.h"

namespace ridgewatt::cli {
namespace {

constexpr double kFileWaitS = 0.002;  // a file of marks wakes nobody

// Every knob has a value, so that a phase's mode is the same whatever came before it: knobs that
// the text leaves out are as they were at the beginning.
PowerMode whole_mode(platform::JetsonModeControl& control, const PowerMode& before,
                     const std::string& phase, const std::string& text) {
  PowerMode mode;
  if (text.ends_with(".json")) {
    mode = report::mode_of_answer(text, phase);
  } else if (text.find('=') != std::string::npos) {
    mode = parse_mode_text(text);
  } else {
    if (!control.presets())
      throw NotFoundError("this board has no presets", text,
                          "give clocks, for example decode=gpu=612");
    mode = limits_of(*control.presets(), control.presets()->mode(text));
    // A preset without a limit means the highest.
    const KnobSpace::Levels levels = control.levels();
    for (const Knob knob : kKnobs) {
      if (!mode.has(knob) && !levels[knob].empty()) {
        mode.set(knob, levels[knob].back());
      }
    }
  }
  for (const Knob knob : kKnobs) {
    if (!mode.has(knob) && before.has(knob)) mode.set(knob, before.get(knob));
  }
  return mode;
}

std::vector<govern::PhaseMode> phase_modes(platform::JetsonModeControl& control,
                                           const std::vector<std::string>& texts) {
  const PowerMode before = control.state().limits;
  std::vector<govern::PhaseMode> modes;
  for (const auto& text : texts) {
    const auto at = text.find('=');
    if (at == 0 || at == std::string::npos || at + 1 == text.size()) {
      throw UsageError("--phase-mode must be PHASE=MODE", text,
                       "for example prefill=MAXN or decode=gpu=612");
    }
    const std::string phase = text.substr(0, at);
    modes.push_back({phase, whole_mode(control, before, phase, text.substr(at + 1))});
  }
  return modes;
}

}  // namespace

void add_phase_options(CLI::App& command, GovernPhases& phases) {
  OptionAdder(command)
      .text("--phase-mode", phases.modes,
            std::string("PHASE=MODE: power mode of a phase that the program marks (one option per "
                        "phase), in place of a goal; MODE is ") +
                kModeText)
      ->allow_extra_args(false);
  OptionAdder(command).number("--least-phase", phases.least_times, number().within(0, 1e6),
                              "Do not change the mode for a phase that usually lasts less than X "
                              "times the time to change to its mode and back");
}

void govern_phases(const Context& context, const GovernPhases& phases, const DeviceOptions& options,
                   const std::vector<std::string>& command, std::optional<pid_t> process,
                   platform::JetsonModeControl::Options control_options) {
  check_table_options(context, report::phases_result({}, "", Provenance::kMeasured));
  const auto device = options.open(context);
  control_options.state_folder = options.state_folder;
  platform::JetsonModeControl control(*device.sysfs, control_options);
  govern::PhaseOptions held;
  held.modes = phase_modes(control, phases.modes);
  held.least_times = phases.least_times;
  if (process) held.wait_s = kFileWaitS;
  held.check();
  control.apply(held.modes.front().mode);  // its guardian begins before any thread
  try {
    std::unique_ptr<measure::LiveProgram> program =
        process ? std::make_unique<measure::LiveProgram>(*device.sysfs, control, *process)
                : std::make_unique<measure::LiveProgram>(*device.sysfs, control, command, 0);
    const govern::PhaseOutcome outcome =
        govern::hold_phases(*program, held, [&] { control.check_safety(); });
    control.restore();
    print(context, report::phases_result(outcome, device.name, device.provenance()));
    check_status(program->status(), command);
  } catch (const measure::InterruptedError& error) {
    control.restore();
    end_by_signal(error.signal());
  }
}

}  // namespace ridgewatt::cli
