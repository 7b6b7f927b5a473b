// Executes schedules: a cycle, or a plan that follows the arrivals.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ridgewatt/answer/schedule_run.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/plural.h"
#include "ridgewatt/schedule/grant_log.h"
#include "ridgewatt/schedule/program_keeper.h"
#include "ridgewatt/schedule/stop_on_signal.h"

namespace ridgewatt::answer {
namespace {

constexpr double kSameLevel = 0.01;  // relative, between the clocks of a table and of a sweep

bool offers(const KnobSpace::Levels& levels, const PowerMode& mode) {
  return std::all_of(kKnobs.begin(), kKnobs.end(), [&](Knob knob) {
    const auto& table = levels[knob];
    if (!mode.has(knob) || table.empty()) return true;
    const auto [low, high] = std::minmax_element(table.begin(), table.end());
    const double wanted = mode.get(knob);
    return wanted >= *low * (1 - kSameLevel) && wanted <= *high * (1 + kSameLevel);
  });
}

// Keeps the modes that the device offers. Throws InputError if there are none.
std::vector<schedule::LiveMode> offered_modes(std::vector<schedule::LiveMode> modes,
                                              const ServeOptions& options) {
  const std::size_t all = modes.size();
  const auto levels = options.control->levels();
  std::erase_if(modes, [&](const schedule::LiveMode& mode) { return !offers(levels, mode.mode); });
  if (modes.empty())
    throw InputError("the device has none of the planned power modes", "",
                     "plan with power modes of this device");
  if (modes.size() < all) {
    options.say(fmt::format("left out, because the device does not have them: {} of {}",
                            all - modes.size(), counted(all, "mode")));
  }
  return modes;
}

// The interference since `native_from_s`, when native sharing began.
schedule::Interference interference_of(std::span<const schedule::GrantRecord> grants,
                                       double native_from_s) {
  const auto measured = schedule::measure_interference(grants, native_from_s);
  if (measured) return *measured;
  throw NoSolutionError(
      "the interference could not be measured", "",
      "run exactly two workers without pauses between minibatches, or give a longer --duration");
}

// A function that reports events with their time.
std::function<void(double, const std::string&)> event_remarks(const ServeOptions& options) {
  if (!options.say_events) return {};
  return [say = options.say](double time_s, const std::string& text) {
    say(fmt::format("{:.3f} s: {}", time_s, text));
  };
}

std::optional<schedule::ProgramKeeper> keeper_of(const LiveQuestion& question, EndedProgram ended,
                                                 const ServeOptions& options) {
  std::vector<schedule::KeptProgram> programs;
  for (const auto& entry : question.commands) {
    programs.push_back({entry.name, entry.kind, entry.command});
  }
  if (programs.empty()) return std::nullopt;
  schedule::KeeperOptions kept;
  kept.socket_path = options.executor.socket_path;
  kept.restart = ended == EndedProgram::kStart;
  kept.on_event = options.say;
  return std::make_optional<schedule::ProgramKeeper>(std::move(programs), std::move(kept));
}

}  // namespace

ScheduleRun serve_live(const LiveQuestion& question, schedule::LiveOptions live, double max_power_w,
                       EndedProgram ended, ServeOptions options) {
  platform::JetsonModeControl* const control = options.control;
  live.training = question.training_names;
  if (control != nullptr) {
    live.set_mode = [control](const PowerMode& mode) { control->apply(mode); };
    live.watch = [control] { control->check_safety(); };
  }
  schedule::GrantLog log(options.log);
  LastGrants grants;
  options.executor.on_grant = [&](const schedule::GrantRecord& record) {
    log.add(record);
    grants.add(record);
  };
  live.on_event = options.executor.on_event = event_remarks(options);
  auto modes = schedule::live_modes(question.inference, question.training, max_power_w);
  if (control != nullptr) modes = offered_modes(std::move(modes), options);
  schedule::LiveScheduler scheduler(std::move(modes), question.programs, live);
  options.executor.policy = &scheduler;
  options.executor.batch = scheduler.plan().batches.front();
  schedule::Executor executor(options.executor);
  options.say(fmt::format("serving workers on {}: {}, with re-planning",
                          options.executor.socket_path,
                          counted(question.programs.size(), "inference program")));
  const schedule::StopOnSignal stop(executor);
  auto keeper = keeper_of(question, ended, options);
  const schedule::ExecutorSummary summary = executor.run();
  if (keeper) keeper->stop();
  if (control != nullptr) control->restore();
  const ScheduleRun::Live served{scheduler.summary(), keeper ? keeper->restarts() : 0};
  return {summary, {}, served, grants.switch_costs(), log.fault()};
}

ScheduleRun serve_cycle(ServeOptions options) {
  schedule::ExecutorOptions& settings = options.executor;
  schedule::GrantLog log(options.log);
  std::vector<schedule::GrantRecord> grants;
  LastGrants last_grants;
  settings.on_grant = [&](const schedule::GrantRecord& record) {
    log.add(record);
    last_grants.add(record);
    if (options.measure_interference) grants.push_back(record);
  };
  if (options.measure_interference) settings.native_from_s = settings.duration_s / 2;
  settings.on_event = event_remarks(options);
  schedule::Executor executor(settings);
  options.say(fmt::format("serving workers on {}: batch {}, period {:.1f} ms, {} per cycle",
                          settings.socket_path, settings.batch, settings.period_s * 1e3,
                          counted(settings.training_per_cycle, "training minibatch")));
  const schedule::StopOnSignal stop(executor);
  if (options.control != nullptr && options.mode) {
    const auto applied = options.control->apply(*options.mode);
    options.say("mode: " + describe(applied.applied));
  }
  ScheduleRun found{executor.run()};
  if (options.control != nullptr) options.control->restore();
  if (options.measure_interference) {
    found.interference = interference_of(grants, settings.native_from_s);
  }
  found.switches = last_grants.switch_costs(settings.native_from_s);
  found.log_fault = log.fault();
  return found;
}

}  // namespace ridgewatt::answer
