// ridgewatt schedule run: grants minibatches to worker processes in the cycle of a plan.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <vector>

#include "ridgewatt/answer/schedule_run.h"
#include "ridgewatt/answer/serve.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/cli/options/device_options.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/cli/schedule/live_run.h"
#include "ridgewatt/cli/schedule/schedule_commands.h"
#include "ridgewatt/cli/schedule/schedule_options.h"
#include "ridgewatt/cli/schedule/stop_on_signal.h"
#include "ridgewatt/platform/mode_control.h"
#include "ridgewatt/report/schedule_report.h"
#include "ridgewatt/schedule/grant_log.h"
#include "ridgewatt/schedule/program_keeper.h"
#include "ridgewatt/schedule/worker_socket.h"

namespace ridgewatt::cli {
namespace {

struct RunOptions {
  answer::ScheduleRequest schedule;
  schedule::ExecutorOptions executor;
  double period_ms = 0, infer_ms = 0, train_ms = 0, least_deadline_ms = 1000, grace_ms = 1000;
  int training_per_cycle = -1;
  int batch = 0;
  std::string hung = "kill";
  std::string log;
  DeviceOptions device;
  bool apply_mode = false;
  bool measure_interference = false;
  LiveRunOptions live;
};

// The cycle from a plan over sweeps, then what was given outright.
schedule::ExecutorOptions executor_options(const Context& context, const RunOptions& options,
                                           std::optional<PowerMode>& mode) {
  schedule::ExecutorOptions result = options.executor;
  if (result.socket_path.empty()) result.socket_path = schedule::default_worker_socket();
  const bool planned =
      !options.schedule.training_sweeps.empty() || options.schedule.has_inference();
  if (planned && !options.live.wanted()) {
    const schedule::Plan plan =
        answer::best_plan(schedule::join_sweeps(read_workloads(context, options.schedule)),
                          checked_problem(options.schedule));
    if (!plan.feasible) throw NoSolutionError("no plan meets the constraints", plan.miss);
    mode = plan.candidate.mode;
    answer::follow(plan, result);
  }
  if (options.batch > 0) result.batch = options.batch;
  if (options.period_ms > 0) result.period_s = options.period_ms / 1e3;
  if (options.infer_ms > 0) result.infer_time_s = options.infer_ms / 1e3;
  if (options.train_ms > 0) result.train_time_s = options.train_ms / 1e3;
  if (options.training_per_cycle >= 0) result.training_per_cycle = options.training_per_cycle;
  result.least_deadline_s = options.least_deadline_ms / 1e3;
  result.grace_s = options.grace_ms / 1e3;
  result.kill_hung = options.hung == "kill";
  return result;
}

platform::JetsonModeControl::Options control_options(const RunOptions& options) {
  platform::JetsonModeControl::Options result;
  result.state_folder = options.device.state_folder;
  return result;
}

// Programs that are started, and started again.
std::unique_ptr<schedule::ProgramKeeper> keep_programs(
    const Context& context, const std::vector<schedule::LiveProgramEntry>& entries,
    const LiveRunOptions& options, const std::string& socket_path) {
  if (entries.empty()) return nullptr;
  std::vector<schedule::KeptProgram> programs;
  for (const auto& entry : entries) programs.push_back({entry.name, entry.kind, entry.command});
  schedule::KeeperOptions keeper_options;
  keeper_options.socket_path = socket_path;
  keeper_options.restart = !options.no_restart;
  keeper_options.on_event = [&context](const std::string& text) { remark(context, text); };
  return std::make_unique<schedule::ProgramKeeper>(std::move(programs), std::move(keeper_options));
}

// Those that the device can be set to.
std::vector<schedule::LiveMode> offered(const Context& context,
                                        std::vector<schedule::LiveMode> modes,
                                        const platform::ModeControl& control) {
  const std::size_t all = modes.size();
  modes = answer::offered_modes(std::move(modes), control);
  if (modes.size() < all) {
    remark(context, fmt::format("{} of {} modes left out: the device does not offer them",
                                all - modes.size(), all));
  }
  return modes;
}

// A schedule whose plan follows the arrivals.
void run_live(const Context& context, const RunOptions& options) {
  std::optional<PowerMode> no_mode;
  schedule::ExecutorOptions executor_settings = executor_options(context, options, no_mode);
  LiveQuestion question = live_question(context, options.live, options.schedule);
  const double max_power_w = options.schedule.problem.max_power_w;
  schedule::LiveOptions live;
  live.dynamic.mode_change_s = options.live.mode_change_ms / 1e3;
  live.dynamic.headroom = options.live.headroom;
  live.speed = options.live.speed;
  live.switch_s = options.schedule.switch_s;
  live.seed = context.seed;
  live.training = question.training_names;
  std::optional<platform::LocalDevice> device;
  std::optional<platform::JetsonModeControl> control;
  if (options.apply_mode) {
    device.emplace(options.device.open(context));
    control.emplace(*device->sysfs, control_options(options));
    live.set_mode = [&control](const PowerMode& mode) { control->apply(mode); };
    live.watch = [&control] { control->check_safety(); };
  }
  schedule::GrantLog log(options.log);
  answer::LastGrants grants;
  executor_settings.on_grant = [&](const schedule::GrantRecord& record) {
    log.add(record);
    grants.add(record);
  };
  if (!context.quiet) {
    live.on_event =
        executor_settings.on_event = [&context](double time_s, const std::string& text) {
          remark(context, fmt::format("{:.3f} s: {}", time_s, text));
        };
  }
  auto modes = schedule::live_modes(question.inference, question.training, max_power_w);
  if (control) modes = offered(context, std::move(modes), *control);
  schedule::LiveScheduler scheduler(std::move(modes), question.programs, live);
  executor_settings.policy = &scheduler;
  executor_settings.batch = scheduler.plan().batches.front();
  schedule::Executor executor(executor_settings);
  remark(context, fmt::format("serving {}: {} inference programs, re-planned",
                              executor_settings.socket_path, question.programs.size()));
  const StopOnSignal stop(executor);
  auto keeper =
      keep_programs(context, question.commands, options.live, executor_settings.socket_path);
  const schedule::ExecutorSummary summary = executor.run();
  if (keeper) keeper->stop();
  if (control) control->restore();
  const answer::ScheduleRun::Live served{scheduler.summary(), keeper ? keeper->restarts() : 0};
  print(context, report::schedule_run_result({summary, {}, served, grants.switch_costs()}));
}

void run(const Context& context, const RunOptions& options) {
  check_table_options(context, report::schedule_run_result({}));
  if (options.live.wanted()) return run_live(context, options);
  std::optional<PowerMode> mode;
  schedule::ExecutorOptions executor_settings = executor_options(context, options, mode);
  schedule::GrantLog log(options.log);
  std::vector<schedule::GrantRecord> grants;
  answer::LastGrants last_grants;
  executor_settings.on_grant = [&](const schedule::GrantRecord& record) {
    log.add(record);
    last_grants.add(record);
    if (options.measure_interference) grants.push_back(record);
  };
  if (options.measure_interference) {
    if (executor_settings.duration_s <= 0) {
      throw UsageError("how long to measure?", "--measure-interference", "give --duration");
    }
    executor_settings.native_from_s = executor_settings.duration_s / 2;
  }
  if (!context.quiet) {
    executor_settings.on_event = [&context](double time_s, const std::string& text) {
      remark(context, fmt::format("{:.3f} s: {}", time_s, text));
    };
  }
  schedule::Executor executor(executor_settings);
  remark(context,
         fmt::format("serving {}: batch {}, period {:.1f} ms, {} training minibatches per cycle",
                     executor_settings.socket_path, executor_settings.batch,
                     executor_settings.period_s * 1e3, executor_settings.training_per_cycle));
  const StopOnSignal stop(executor);
  std::optional<platform::LocalDevice> device;
  std::optional<platform::JetsonModeControl> control;
  if (options.apply_mode) {
    if (!mode) throw UsageError("no plan to take the mode from", "--apply-mode", "give sweeps");
    device.emplace(options.device.open(context));
    control.emplace(*device->sysfs, control_options(options));
    const auto applied = control->apply(*mode);
    remark(context, "mode: " + describe(applied.applied));
  }
  const schedule::ExecutorSummary summary = executor.run();
  if (control) control->restore();
  answer::ScheduleRun found{summary};
  const double native_from_s = executor_settings.native_from_s;
  if (options.measure_interference) {
    found.interference = answer::interference_of(grants, native_from_s);
  }
  found.switches = last_grants.switch_costs(native_from_s);
  print(context, report::schedule_run_result(found));
}

}  // namespace

void add_schedule_run(CLI::App& schedule, Context& context) {
  auto* command = add_command(schedule, context, "run",
                              "Grant minibatches to worker processes in the cycle of a plan",
                              "ridgewatt schedule run --training-sweep T.csv --inference-sweep "
                              "I.csv --arrival-rate 60 --max-latency 500 "
                              "--max-power 30 --log grants.csv");
  auto options = std::make_shared<RunOptions>();
  add_programs(*command, options->schedule);
  auto& executor = options->executor;
  const OptionAdder add(*command);
  add.text("--socket", executor.socket_path,
           "Unix socket to serve, mode 0600 (default: ridgewatt.sock in $XDG_RUNTIME_DIR)");
  add.number("--duration", executor.duration_s, seconds(), "Seconds to serve; 0: until stopped");
  add.output("--log", options->log, "CSV of every grant, written as it happens");
  add.optional("--batch", options->batch, count().within(1, 1 << 20),
               "Inference batch instead of the plan's");
  add.optional("--period", options->period_ms, milliseconds().positive(),
               "Period in ms instead of the plan's");
  add.optional("--training-per-cycle", options->training_per_cycle, count().within(0, 1e6),
               "Training minibatches per cycle instead of the plan's");
  add.optional("--inference-time", options->infer_ms, milliseconds().positive(),
               "Planned inference minibatch in ms instead of the plan's");
  add.optional("--training-time", options->train_ms, milliseconds().positive(),
               "Planned training minibatch in ms instead of the plan's");
  add.number("--deadline-factor", executor.deadline_factor, number().within(1, 1e6),
             "A minibatch is late after X times its planned time");
  add.number("--least-deadline", options->least_deadline_ms, milliseconds(),
             "Shortest deadline in ms");
  add.number("--grace", options->grace_ms, milliseconds(),
             "From revoking a minibatch to SIGKILL, ms");
  name_choice(*command, "--hung", options->hung, {{"kill", "hold"}},
              "A worker that does not stop: kill it, or hold the device until it ends")
      ->capture_default_str();
  add.flag("--measure-interference", options->measure_interference,
           "Of two workers: in the second half of --duration the driver shares the device "
           "between them; prints the interference factor for schedule simulate");
  options->live.add_to(*command);
  add_device_options(*command, options->device);
  add.flag("--apply-mode", options->apply_mode,
           "Set the plan's power mode on the device, and bring the old one back at the end");
  command->callback([&context, options, command] {
    options->live.check(*command);
    run(context, *options);
  });
}

}  // namespace ridgewatt::cli
