// Holds the modes of a program's phases on a board (answer/govern.h).
#include "ridgewatt/answer/govern.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/device/mode_text.h"
#include "ridgewatt/measure/live_program.h"

namespace ridgewatt::answer {
namespace {

constexpr double kFileWaitS = 0.002;  // polling: a file of marks sends no event

PowerMode mode_of_preset(const platform::JetsonModeControl& control, const std::string& name) {
  if (!control.presets()) {
    throw NotFoundError("this board has no presets", name,
                        "give clocks, for example decode=gpu=612");
  }
  PowerMode mode = limits_of(*control.presets(), control.presets()->mode(name));
  // A knob without a limit in the preset gets its highest level.
  const KnobSpace::Levels levels = control.levels();
  for (const Knob knob : kKnobs) {
    if (!mode.has(knob) && !levels[knob].empty()) mode.set(knob, levels[knob].back());
  }
  return mode;
}

// Gives every knob a value, so that the mode of a phase does not depend on earlier phases. Knobs
// that the text omits keep their initial value.
std::vector<govern::PhaseMode> phase_modes(const platform::JetsonModeControl& control,
                                           const std::vector<std::string>& texts,
                                           ModeOfFile* mode_of_file) {
  const PowerMode before = control.state().limits;
  std::vector<govern::PhaseMode> modes;
  for (const auto& text : texts) {
    const auto at = text.find('=');
    if (at == 0 || at == std::string::npos || at + 1 == text.size()) {
      throw UsageError("--phase-mode must be PHASE=MODE", text,
                       "for example prefill=MAXN or decode=gpu=612");
    }
    const std::string phase = text.substr(0, at), asked = text.substr(at + 1);
    PowerMode mode = asked.ends_with(".json")               ? mode_of_file(asked, phase)
                     : asked.find('=') != std::string::npos ? parse_mode_text(asked)
                                                            : mode_of_preset(control, asked);
    for (const Knob knob : kKnobs) {
      if (!mode.has(knob) && before.has(knob)) mode.set(knob, before.get(knob));
    }
    modes.push_back({phase, mode});
  }
  return modes;
}

}  // namespace

PhasesAnswer govern_phases(const PhasesQuestion& question, const platform::LocalDevice& device,
                           platform::JetsonModeControl& control, ModeOfFile* mode_of_file) {
  govern::PhaseOptions held;
  held.modes = phase_modes(control, question.modes, mode_of_file);
  held.least_times = question.least_times;
  if (question.process) held.wait_s = kFileWaitS;
  held.check();
  control.apply(held.modes.front().mode);  // starts its guardian process before any thread
  try {
    const auto program =
        question.process
            ? std::make_unique<measure::LiveProgram>(*device.sysfs, control, *question.process)
            : std::make_unique<measure::LiveProgram>(*device.sysfs, control, question.command, 0);
    PhasesAnswer found{.outcome =
                           govern::hold_phases(*program, held, [&] { control.check_safety(); })};
    control.restore();
    found.status = program->status();
    return found;
  } catch (const measure::InterruptedError&) {
    control.restore();
    throw;
  }
}

}  // namespace ridgewatt::answer
