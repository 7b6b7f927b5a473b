#include "ridgewatt/cli/board/govern_phases.h"

#include <fmt/format.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/cli/options/end_by_signal.h"
#include "ridgewatt/cli/options/mode_text.h"
#include "ridgewatt/device/mode_text.h"
#include "ridgewatt/measure/live_program.h"
#include "ridgewatt/report/columns.h"
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
    mode = read_answer(text, phase);
  } else if (text.find('=') != std::string::npos) {
    mode = parse_mode_text(text);
  } else {
    if (!control.presets()) throw NotFoundError("this board has no presets", text);
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
      throw UsageError("a phase and its mode are written PHASE=MODE", text,
                       "for example prefill=MAXN or decode=gpu=612");
    }
    const std::string phase = text.substr(0, at);
    modes.push_back({phase, whole_mode(control, before, phase, text.substr(at + 1))});
  }
  return modes;
}

report::Table phases_table(const govern::PhaseOutcome& outcome) {
  std::vector<PowerMode> modes;
  for (const auto& phase : outcome.phases) modes.push_back(phase.mode);
  std::vector<report::Column> columns = {{"phase"}};
  const auto knobs = report::knob_columns(modes, 1);
  report::append(columns, knobs);
  report::append(columns, {{"times"},
                           {"switches"},
                           {"too_short", "too short to switch"},
                           {"time_s", "in all (s)"},
                           {"median_ms", "one (ms)"},
                           {"minibatches"},
                           {"energy_j"},
                           {"power_w", "mean power (W)"}});
  report::Table table(std::move(columns));
  const auto count = [](std::size_t n) { return static_cast<std::int64_t>(n); };
  for (const auto& phase : outcome.phases) {
    std::vector<report::Cell> row = {phase.phase};
    for (auto& cell : report::knob_cells(phase.mode, knobs)) row.push_back(std::move(cell));
    const report::Cell power =
        phase.time_s > 0 ? report::Cell(phase.energy_j / phase.time_s) : report::Cell();
    row.insert(row.end(),
               {count(phase.times), count(phase.switches), count(phase.too_short), phase.time_s,
                phase.times > 0 ? report::Cell(1e3 * phase.median_s) : report::Cell(),
                count(phase.minibatches), phase.energy_j, power});
    table.add_row(std::move(row));
  }
  return table;
}

Json to_json(const govern::PhaseOutcome& outcome, const platform::LocalDevice& device) {
  Json json;
  json["device"] = device.name;
  json["provenance"] = name_of(device.provenance());
  json["end_s"] = outcome.time_s;
  json["minibatches"] = outcome.minibatches;
  json["energy_j"] = outcome.energy_j;
  json["switches"] = outcome.switches;
  json["median_switch_ms"] = 1e3 * outcome.median_switch_s;
  json["longest_switch_ms"] = 1e3 * outcome.longest_switch_s;
  json["median_write_ms"] = 1e3 * outcome.median_write_s;
  json["switching_s"] = outcome.switching_s;
  json["phases"] = phases_table(outcome).to_json();
  return json;
}

void print_outcome(const Context& context, const govern::PhaseOutcome& outcome,
                   const platform::LocalDevice& device) {
  if (context.json()) return print(context, to_json(outcome, device));
  print(context, phases_table(outcome));
  remark(context, fmt::format("{:.1f} s, {:.1f} J, {} minibatches ({})", outcome.time_s,
                              outcome.energy_j, outcome.minibatches, name_of(device.provenance())));
  if (outcome.switches == 0) return;
  remark(context,
         fmt::format("{} switches: from the mark to the mode that is read back {:.1f} ms (median), "
                     "{:.1f} ms at most; {:.1f} ms of it writing",
                     outcome.switches, 1e3 * outcome.median_switch_s,
                     1e3 * outcome.longest_switch_s, 1e3 * outcome.median_write_s));
}

}  // namespace

void add_phase_options(CLI::App& command, GovernPhases& phases) {
  command
      .add_option("--phase-mode", phases.modes,
                  std::string("PHASE=MODE: the mode of a phase that the program marks, in place of "
                              "a goal (again for each phase); MODE is ") +
                      kModeText)
      ->allow_extra_args(false);
  quantity(command.add_option("--least-phase", phases.least_times,
                              "Leave the mode for a phase that usually lasts less than so many "
                              "times what switching to its mode and back costs"),
           number().within(0, 1e6))
      ->capture_default_str();
}

void govern_phases(const Context& context, const GovernPhases& phases, const DeviceOptions& options,
                   const std::vector<std::string>& command, std::optional<pid_t> process,
                   platform::JetsonModeControl::Options control_options) {
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
    print_outcome(context, outcome, device);
    check_status(program->status(), command);
  } catch (const measure::InterruptedError& error) {
    control.restore();
    end_by_signal(error.signal());
  }
}

}  // namespace ridgewatt::cli
