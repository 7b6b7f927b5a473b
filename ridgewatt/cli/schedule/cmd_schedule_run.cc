// ridgewatt schedule run: grants minibatches to worker processes in the cycle of a plan.
#include <optional>

#include "ridgewatt/answer/schedule_run.h"
#include "ridgewatt/answer/serve.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/cli/options/device_options.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/cli/options/option_rules.h"
#include "ridgewatt/cli/schedule/schedule_options.h"
#include "ridgewatt/platform/mode_control.h"
#include "ridgewatt/report/schedule_report.h"
#include "ridgewatt/schedule/worker_socket.h"

namespace ridgewatt::cli {
namespace {

// Options that go with --replan or --programs.
struct LiveRunOptions {
  bool replan = false;
  std::string programs;
  bool no_restart = false;
  schedule::LiveOptions live;

  bool wanted() const { return replan || !programs.empty(); }
  void add_to(CLI::App& command);
  // Throws UsageError for options that have no effect with, or without, --replan and --programs.
  void check(const CLI::App& command) const;
};

void LiveRunOptions::add_to(CLI::App& command) {
  const OptionAdder add(command);
  add.flag("--replan", replan,
           "Estimate the arrival rate from the reports of the inference worker, and adapt the plan "
           "to it (with --apply-mode also the power mode)");
  add.input("--programs", programs,
            "TOML file of several inference and training programs; the plan follows their arrival "
            "rates, and programs with a command are started");
  add.flag("--no-restart", no_restart, "Do not restart a program of --programs when it ends");
  add.number("--mode-change", live.dynamic.mode_change_s, milliseconds(),
             "Assumed time of a mode change in ms, until one has been measured");
  add.headroom(live.dynamic.headroom);
  add.number("--speed", live.speed, number().within(0.01, 1000),
             "Run the schedule X times as fast as real time; limits, rates and times are given for "
             "speed 1");
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
                          "with --programs, whose file states it");
  }
}

// Returns the programs from the file --programs or, without it, from the options.
answer::LiveQuestion live_question(const Context& context, const LiveRunOptions& options,
                                   const answer::ScheduleRequest& schedule) {
  if (!options.programs.empty()) {
    auto question = answer::live_programs(options.programs, schedule.keep_outliers);
    for (const auto& line : question.remarks) remark(context, line);
    return question;
  }
  return answer::live_programs(read_workloads(context, schedule), schedule.problem);
}

enum class HungWorker { kKill, kHold };
constexpr auto enum_names(HungWorker) {
  return named<HungWorker>({{HungWorker::kKill, "kill"}, {HungWorker::kHold, "hold"}});
}

struct RunOptions {
  answer::ScheduleRequest schedule;
  schedule::ExecutorOptions executor;
  double period_s = 0, infer_s = 0, train_s = 0;
  int training_per_cycle = -1;
  int batch = 0;
  HungWorker hung = HungWorker::kKill;
  std::string log;
  DeviceOptions device;
  bool apply_mode = false;
  bool measure_interference = false;
  LiveRunOptions live;
};

// Takes the cycle from a plan over sweeps, if sweeps were given. Explicit options override it.
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
    if (!plan.feasible)
      throw NoSolutionError("no plan meets the limits", plan.miss,
                            "relax a limit, or give more modes or batches");
    mode = plan.candidate.mode;
    answer::follow(plan, result);
  }
  if (options.batch > 0) result.batch = options.batch;
  if (options.period_s > 0) result.period_s = options.period_s;
  if (options.infer_s > 0) result.infer_time_s = options.infer_s;
  if (options.train_s > 0) result.train_time_s = options.train_s;
  if (options.training_per_cycle >= 0) result.training_per_cycle = options.training_per_cycle;
  result.kill_hung = options.hung == HungWorker::kKill;
  return result;
}

answer::ScheduleRun serve(const Context& context, const RunOptions& options,
                          answer::ServeOptions& serving) {
  if (!options.live.wanted()) return answer::serve_cycle(serving);
  schedule::LiveOptions live = options.live.live;
  live.switch_s = options.schedule.switch_s;
  live.seed = context.seed;
  return answer::serve_live(
      live_question(context, options.live, options.schedule), live,
      options.schedule.problem.max_power_w,
      options.live.no_restart ? answer::EndedProgram::kLeave : answer::EndedProgram::kStart,
      serving);
}

void run(const Context& context, const RunOptions& options, const CLI::App& command) {
  options.live.check(command);
  check_table_options(context, report::schedule_run_result({}));
  answer::ServeOptions serving{
      .log = options.log,
      .measure_interference = options.measure_interference && !options.live.wanted(),
      .say = [&](const auto& line) { remark(context, line); },
      .say_events = !context.quiet};
  serving.executor = executor_options(context, options, serving.mode);
  if (serving.measure_interference && serving.executor.duration_s <= 0) {
    throw UsageError("--measure-interference needs a duration", "", "give --duration");
  }
  std::optional<platform::LocalDevice> device;
  std::optional<platform::JetsonModeControl> control;
  if (options.apply_mode) {
    if (!serving.mode && !options.live.wanted()) {
      throw UsageError("--apply-mode has no effect without a plan", "", "give sweeps to plan from");
    }
    device.emplace(options.device.open(context));
    platform::JetsonModeControl::Options asked;
    asked.state_folder = options.device.state_folder;
    serving.control = &control.emplace(*device->sysfs, asked);
  }
  const answer::ScheduleRun served = serve(context, options, serving);
  print(context, report::schedule_run_result(served));
  if (served.log_fault.empty()) return;
  std::cout.flush();
  throw IoError("cannot write the log of grants", served.log_fault);
}

}  // namespace

void add_schedule_run(CLI::App& schedule, Context& context) {
  const auto [command, options, add] =
      define<RunOptions>(schedule, context, "run",
                         "Run the minibatches of worker processes in turn, according to a plan",
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
  add.optional("--period", options.period_s, milliseconds().positive(),
               "Period of the cycle in ms, in place of the plan's");
  add.optional("--training-per-cycle", options.training_per_cycle, count().within(0, 1e6),
               "Training minibatches per cycle, in place of the plan's");
  add.optional("--inference-time", options.infer_s, milliseconds().positive(),
               "Expected time of an inference minibatch in ms, in place of the plan's");
  add.optional("--training-time", options.train_s, milliseconds().positive(),
               "Expected time of a training minibatch in ms, in place of the plan's");
  add.number("--deadline-factor", executor.deadline_factor, number().within(1, 1e6),
             "Deadline of a minibatch, as a multiple of its planned time");
  add.number("--least-deadline", executor.least_deadline_s, milliseconds(),
             "Lower bound of the deadline, in ms");
  add.number("--grace", executor.grace_s, milliseconds(),
             "Time in ms that a worker gets to stop after it misses its deadline, before SIGKILL");
  add.choice(
      "--hung", options.hung,
      "What to do with a worker that does not stop: kill it, or hold the device until it ends");
  add.flag("--measure-interference", options.measure_interference,
           "Let the driver share the device between two workers in the second half of --duration, "
           "and print the interference factor for schedule simulate");
  options.live.add_to(command);
  add_device_options(command, options.device);
  add.flag("--apply-mode", options.apply_mode,
           "Set the plan's power mode on the device, and restore the original mode at the end");
}

}  // namespace ridgewatt::cli
