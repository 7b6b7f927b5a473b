// ridgewatt schedule run: grants minibatches to worker processes in the cycle of a plan.
#include <fmt/format.h>
#include <cmath>

#include <functional>
#include <optional>
#include <vector>

#include "ridgewatt/answer/schedule_run.h"
#include "ridgewatt/answer/serve.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/options/device_options.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/cli/options/option_rules.h"
#include "ridgewatt/cli/schedule/schedule_options.h"
#include "ridgewatt/platform/mode_control.h"
#include "ridgewatt/report/schedule_report.h"
#include "ridgewatt/schedule/grant_log.h"
#include "ridgewatt/schedule/live.h"
#include "ridgewatt/schedule/program_keeper.h"
#include "ridgewatt/schedule/stop_on_signal.h"
#include "ridgewatt/schedule/worker_socket.h"

namespace ridgewatt::cli {
namespace {

// What --replan and --programs add.
struct LiveRunOptions {
  bool replan = false;
  std::string programs;
  bool no_restart = false;
  double mode_change_ms = 200, headroom = 0.15, speed = 1;

  bool wanted() const { return replan || !programs.empty(); }
  void add_to(CLI::App& command);
  // UsageError for what has no effect without --replan or --programs.
  void check(const CLI::App& command) const;
};

void LiveRunOptions::add_to(CLI::App& command) {
  const OptionAdder add(command);
  add.flag("--replan", replan,
           "Estimate the arrival rate from the reports of the inference worker, and change the "
           "plan as it changes (with --apply-mode also the power mode)");
  add.input("--programs", programs,
            "TOML file of several inference and training programs; the plan follows their arrival "
            "rates, and programs with a command are started");
  add.flag("--no-restart", no_restart, "Do not restart programs of --programs that end");
  add.number("--mode-change", mode_change_ms, milliseconds(),
             "Assumed time of a mode change in ms, until one has been measured");
  add.headroom(headroom);
  add.number("--speed", speed, number().within(0.01, 1000),
             "Run the schedule X times as fast as real time; limits, rates and times of "
             "minibatches are given in the schedule's time");
}

void LiveRunOptions::check(const CLI::App& command) const {
  if (!wanted()) {
    refuse_without_effect(command, {"--mode-change", "--headroom", "--speed"},
                          "without --replan or --programs");
  } else {
    refuse_without_effect(command,
                          {"--batch", "--period", "--training-per-cycle", "--inference-time",
                           "--training-time", "--measure-interference"},
                          "where the schedule re-plans");
  }
  if (programs.empty()) {
    refuse_without_effect(command, {"--no-restart"}, "without --programs");
  } else {
    refuse_without_effect(command,
                          {"--inference-sweep", "--training-sweep", "--non-urgent",
                           "--arrival-rate", "--max-latency"},
                          "with --programs, whose file says it");
  }
}

// What is served, from the file of programs or from the options of a single one.
answer::LiveQuestion live_question(const Context& context, const LiveRunOptions& options,
                                   const answer::ScheduleRequest& schedule) {
  if (!options.programs.empty()) {
    auto question = answer::live_programs(options.programs, schedule.keep_outliers);
    for (const auto& line : question.remarks) remark(context, line);
    return question;
  }
  answer::LiveQuestion question;
  auto workloads = read_workloads(context, schedule);
  if (!workloads.inference) {
    throw UsageError("there is no inference workload that could get the requests", "",
                     "give --inference-sweep");
  }
  if (std::isinf(schedule.problem.max_latency_s))
    throw UsageError("an inference needs a latency limit", "", "give --max-latency");
  question.inference.push_back(std::move(*workloads.inference));
  for (auto& background : workloads.background) {
    question.training.push_back(std::move(background.sweep));
  }
  question.programs.push_back(
      {"", schedule.problem.max_latency_s, schedule.problem.arrival_rate_hz});
  return question;
}

enum class HungWorker { kKill, kHold };
constexpr auto enum_names(HungWorker) {
  return named<HungWorker>({{HungWorker::kKill, "kill"}, {HungWorker::kHold, "hold"}});
}

struct RunOptions {
  answer::ScheduleRequest schedule;
  schedule::ExecutorOptions executor;
  double period_ms = 0, infer_ms = 0, train_ms = 0, least_deadline_ms = 1000, grace_ms = 1000;
  int training_per_cycle = -1;
  int batch = 0;
  HungWorker hung = HungWorker::kKill;
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
    if (!plan.feasible) throw NoSolutionError("no plan meets the limits", plan.miss);
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
  result.kill_hung = options.hung == HungWorker::kKill;
  return result;
}

// The device that --apply-mode sets.
struct AppliedMode {
  std::optional<platform::LocalDevice> device = {};
  std::optional<platform::JetsonModeControl> control = {};

  void open(const Context& context, const RunOptions& options) {
    platform::JetsonModeControl::Options asked;
    asked.state_folder = options.device.state_folder;
    device.emplace(options.device.open(context));
    control.emplace(*device->sysfs, asked);
  }
};

// Remarks on what happens, with its time.
std::function<void(double, const std::string&)> event_remarks(const Context& context) {
  if (context.quiet) return {};
  return [&context](double time_s, const std::string& text) {
    remark(context, fmt::format("{:.3f} s: {}", time_s, text));
  };
}

// Those that the device can be set to.
std::vector<schedule::LiveMode> offered(const Context& context,
                                        std::vector<schedule::LiveMode> modes,
                                        const platform::ModeControl& control) {
  const std::size_t all = modes.size();
  modes = answer::offered_modes(std::move(modes), control);
  if (modes.size() < all) {
    remark(context,
           fmt::format("{} of {} modes are left out, because the device does not have them",
                       all - modes.size(), all));
  }
  return modes;
}

// A schedule whose plan follows the arrivals.
void run_live(const Context& context, const RunOptions& options) {
  std::optional<PowerMode> no_mode;
  schedule::ExecutorOptions executor_settings = executor_options(context, options, no_mode);
  answer::LiveQuestion question = live_question(context, options.live, options.schedule);
  const double max_power_w = options.schedule.problem.max_power_w;
  schedule::LiveOptions live;
  live.dynamic.mode_change_s = options.live.mode_change_ms / 1e3;
  live.dynamic.headroom = options.live.headroom;
  live.speed = options.live.speed;
  live.switch_s = options.schedule.switch_s;
  live.seed = context.seed;
  live.training = question.training_names;
  AppliedMode applied;
  auto& control = applied.control;
  if (options.apply_mode) {
    applied.open(context, options);
    live.set_mode = [&control](const PowerMode& mode) { control->apply(mode); };
    live.watch = [&control] { control->check_safety(); };
  }
  schedule::GrantLog log(options.log);
  answer::LastGrants grants;
  executor_settings.on_grant = [&](const schedule::GrantRecord& record) {
    log.add(record);
    grants.add(record);
  };
  live.on_event = executor_settings.on_event = event_remarks(context);
  auto modes = schedule::live_modes(question.inference, question.training, max_power_w);
  if (control) modes = offered(context, std::move(modes), *control);
  schedule::LiveScheduler scheduler(std::move(modes), question.programs, live);
  executor_settings.policy = &scheduler;
  executor_settings.batch = scheduler.plan().batches.front();
  schedule::Executor executor(executor_settings);
  remark(context, fmt::format("serving workers on {}: {} inference programs, with re-planning",
                              executor_settings.socket_path, question.programs.size()));
  const schedule::StopOnSignal stop(executor);
  std::vector<schedule::KeptProgram> programs;  // that are started, and started again
  for (const auto& entry : question.commands) {
    programs.push_back({entry.name, entry.kind, entry.command});
  }
  std::optional<schedule::ProgramKeeper> keeper;
  if (!programs.empty()) {
    schedule::KeeperOptions kept;
    kept.socket_path = executor_settings.socket_path;
    kept.restart = !options.live.no_restart;
    kept.on_event = [&context](const std::string& text) { remark(context, text); };
    keeper.emplace(std::move(programs), std::move(kept));
  }
  const schedule::ExecutorSummary summary = executor.run();
  if (keeper) keeper->stop();
  if (control) control->restore();
  const answer::ScheduleRun::Live served{scheduler.summary(), keeper ? keeper->restarts() : 0};
  print(context, report::schedule_run_result({summary, {}, served, grants.switch_costs()}));
}

void run(const Context& context, const RunOptions& options, const CLI::App& command) {
  options.live.check(command);
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
      throw UsageError("--measure-interference needs a duration", "", "give --duration");
    }
    executor_settings.native_from_s = executor_settings.duration_s / 2;
  }
  executor_settings.on_event = event_remarks(context);
  schedule::Executor executor(executor_settings);
  remark(context,
         fmt::format(
             "serving workers on {}: batch {}, period {:.1f} ms, {} training minibatches per cycle",
             executor_settings.socket_path, executor_settings.batch,
             executor_settings.period_s * 1e3, executor_settings.training_per_cycle));
  const schedule::StopOnSignal stop(executor);
  AppliedMode set;
  auto& control = set.control;
  if (options.apply_mode) {
    if (!mode)
      throw UsageError("--apply-mode has no effect without a plan", "", "give sweeps to plan from");
    set.open(context, options);
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
  const auto [command, options, add] =
      define<RunOptions>(schedule, context, "run",
                         "Let worker processes run their minibatches in turn, as a plan says",
                         "ridgewatt schedule run --training-sweep T.csv --inference-sweep "
                         "I.csv --arrival-rate 60 --max-latency 500 "
                         "--max-power 30 --log grants.csv",
                         run);
  add_programs(command, options.schedule);
  auto& executor = options.executor;
  add.socket(executor.socket_path);
  add.number("--duration", executor.duration_s, seconds(),
             "Time to serve workers, in s (0: until stopped)");
  add.output("--log", options.log, "Write each granted minibatch to this CSV as it ends");
  add.optional("--batch", options.batch, count().within(1, 1 << 20),
               "Inference batch, in place of the plan's");
  add.optional("--period", options.period_ms, milliseconds().positive(),
               "Period of the cycle in ms, in place of the plan's");
  add.optional("--training-per-cycle", options.training_per_cycle, count().within(0, 1e6),
               "Training minibatches per cycle, in place of the plan's");
  add.optional("--inference-time", options.infer_ms, milliseconds().positive(),
               "Expected time of an inference minibatch in ms, in place of the plan's");
  add.optional("--training-time", options.train_ms, milliseconds().positive(),
               "Expected time of a training minibatch in ms, in place of the plan's");
  add.number("--deadline-factor", executor.deadline_factor, number().within(1, 1e6),
             "Deadline of a minibatch, as a multiple of its planned time");
  add.number("--least-deadline", options.least_deadline_ms, milliseconds(),
             "Lower bound of the deadline, in ms");
  add.number("--grace", options.grace_ms, milliseconds(),
             "Time in ms from a missed deadline, when the worker is asked to stop, to SIGKILL");
  add.choice(
      "--hung", options.hung,
      "What to do with a worker that does not stop: kill it, or hold the device until it ends");
  add.flag("--measure-interference", options.measure_interference,
           "Let the driver share the device between two workers in the second half of --duration, "
           "and print the interference factor for schedule simulate");
  options.live.add_to(command);
  add_device_options(command, options.device);
  add.flag("--apply-mode", options.apply_mode,
           "Set the plan's power mode on the device, and restore the old one at the end");
}

}  // namespace ridgewatt::cli
