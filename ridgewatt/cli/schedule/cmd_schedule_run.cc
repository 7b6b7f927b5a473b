// ridgewatt schedule run: grants minibatches to worker processes in the cycle of a plan.
#include <fmt/format.h>
#include <pthread.h>
#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "ridgewatt/answer/serve.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/cli/options/choice.h"
#include "ridgewatt/cli/options/device_options.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/cli/schedule/live_run.h"
#include "ridgewatt/cli/schedule/schedule_commands.h"
#include "ridgewatt/cli/schedule/schedule_options.h"
#include "ridgewatt/cli/schedule/stop_on_signal.h"
#include "ridgewatt/platform/mode_control.h"
#include "ridgewatt/schedule/grant_log.h"
#include "ridgewatt/schedule/interference.h"
#include "ridgewatt/schedule/program_keeper.h"
#include "ridgewatt/schedule/switch_cost.h"
#include "ridgewatt/schedule/worker_socket.h"

namespace ridgewatt::cli {
namespace {

constexpr double kSameLevel = 0.01;  // clocks of a table and a sweep, as a share

struct RunOptions {
  ScheduleOptions schedule;
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
  const bool planned = !options.schedule.train.empty() || !options.schedule.infer.empty();
  if (planned && !options.live.wanted()) {
    const schedule::PlanProblem problem = options.schedule.problem();
    const schedule::Plan plan =
        schedule::PlanTable(schedule::join_sweeps(options.schedule.workloads(context)))
            .best(problem);
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

// How fast two programs ran beside each other, after the first half of the time one at a time.
Json interference_json(std::span<const schedule::GrantRecord> grants, double native_from_s) {
  const auto measured = schedule::measure_interference(grants, native_from_s);
  if (!measured) {
    throw NoSolutionError(
        "no interference could be measured",
        "two workers must run minibatches, and in the second half of the time each "
        "be beside the other for half of its own at least (no pauses between "
        "minibatches)");
  }
  Json json = {{"interference", measured->factor}};
  for (const auto& program : measured->programs) {
    json[program.name + "_alone_ms"] = program.alone_s * 1e3;
    json[program.name + "_shared_ms"] = program.shared_s * 1e3;
    json[program.name + "_speed"] = program.speed;
  }
  return json;
}

// The last grants: what switches cost is measured from them.
class LastGrants {
 public:
  void add(const schedule::GrantRecord& record) {
    if (grants_.size() == kMost) grants_.erase(grants_.begin(), grants_.begin() + kMost / 2);
    grants_.push_back(record);
  }
  // Of each worker that ran often enough after another one and after itself.
  void add_switch_costs(Json& json, double until_s) const {
    std::vector<schedule::GrantRecord> alone = grants_;
    if (until_s > 0) {  // later ones may have shared the device
      std::erase_if(alone, [&](const auto& record) { return record.released_s > until_s; });
    }
    const auto costs = schedule::measure_switch_cost(alone);
    for (const auto& cost : costs) {
      json["switches"].push_back({{"name", cost.worker},
                                  {"switch_ms", cost.switch_s * 1e3},
                                  {"switch_lo_ms", cost.lo_s * 1e3},
                                  {"switch_hi_ms", cost.hi_s * 1e3}});
    }
    if (const auto mean_s = schedule::mean_switch_s(costs)) json["switch_cost_ms"] = *mean_s * 1e3;
  }

 private:
  static constexpr std::size_t kMost = 20'000;
  std::vector<schedule::GrantRecord> grants_;
};

void print_summary(const Context& context, const schedule::ExecutorSummary& summary,
                   const Json& more) {
  Json json;
  json["grants"] = summary.grants;
  json["inference_minibatches"] = summary.inference_minibatches;
  json["training_minibatches"] = summary.training_minibatches;
  json["deaths"] = summary.deaths;
  json["revocations"] = summary.revocations;
  json["faults"] = summary.faults;
  json["dropped"] = summary.dropped;
  json["requests"] = summary.requests;
  json["running_s"] = summary.running_s;
  json.update(more);
  if (context.json()) return print(context, json);
  report::Table table({{"quantity"}, {"value"}});
  const auto add = [&](const std::string& of, const std::string& name, const Json& value) {
    const std::string text = context.csv() ? name : report::column_heading({.name = name});
    table.add_row({of + text, value.is_number_integer() ? report::Cell(value.get<std::int64_t>())
                                                        : report::Cell(value.get<double>())});
  };
  for (const auto& [name, value] : json.items()) {
    if (!value.is_array()) {
      add("", name, value);
      continue;
    }
    for (const auto& entry : value) {  // of a program
      const std::string of = entry.at("name").get<std::string>() + (context.csv() ? "_" : " ");
      for (const auto& [key, inner] : entry.items()) {
        if (key != "name") add(of, key, inner);
      }
    }
  }
  print(context, table);
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
  const auto levels = control.levels();
  const std::size_t all = modes.size();
  std::erase_if(modes, [&](const schedule::LiveMode& mode) {
    return std::any_of(kKnobs.begin(), kKnobs.end(), [&](Knob knob) {
      const auto& table = levels[knob];
      if (!mode.mode.has(knob) || table.empty()) return false;
      const auto [low, high] = std::minmax_element(table.begin(), table.end());
      const double wanted = mode.mode.get(knob);
      return wanted < *low * (1 - kSameLevel) || wanted > *high * (1 + kSameLevel);
    });
  });
  if (modes.empty()) throw InputError("the device offers none of the planned modes");
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
  const double max_power_w =
      options.schedule.max_power_w.value_or(std::numeric_limits<double>::infinity());
  schedule::LiveOptions live;
  live.dynamic.mode_change_s = options.live.mode_change_ms / 1e3;
  live.dynamic.headroom = options.live.headroom;
  live.speed = options.live.speed;
  live.switch_s = options.schedule.switch_ms / 1e3;
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
  LastGrants grants;
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
  Json more = Json::object();
  add_summary(more, scheduler.summary());
  more["restarts"] = keeper ? keeper->restarts() : 0;
  grants.add_switch_costs(more, 0);
  print_summary(context, summary, more);
}

void run(const Context& context, const RunOptions& options) {
  if (options.live.wanted()) return run_live(context, options);
  std::optional<PowerMode> mode;
  schedule::ExecutorOptions executor_settings = executor_options(context, options, mode);
  schedule::GrantLog log(options.log);
  std::vector<schedule::GrantRecord> grants;
  LastGrants last_grants;
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
  Json more = options.measure_interference
                  ? interference_json(grants, executor_settings.native_from_s)
                  : Json::object();
  last_grants.add_switch_costs(more, executor_settings.native_from_s);
  print_summary(context, summary, more);
}

}  // namespace

void add_schedule_run(CLI::App& schedule, Context& context) {
  auto* command = add_command(schedule, context, "run",
                              "Grant minibatches to worker processes in the cycle of a plan",
                              "ridgewatt schedule run --training-sweep T.csv --inference-sweep "
                              "I.csv --arrival-rate 60 --max-latency 500 "
                              "--max-power 30 --log grants.csv");
  auto options = std::make_shared<RunOptions>();
  options->schedule.add_to(*command);
  auto& executor = options->executor;
  command->add_option("--socket", executor.socket_path,
                      "Unix socket to serve, mode 0600 (default: ridgewatt.sock in "
                      "$XDG_RUNTIME_DIR)");
  quantity(
      command->add_option("--duration", executor.duration_s, "Seconds to serve; 0: until stopped"),
      seconds())
      ->capture_default_str();
  output_file(
      command->add_option("--log", options->log, "CSV of every grant, written as it happens"));
  quantity(command->add_option("--batch", options->batch, "Inference batch instead of the plan's"),
           count().within(1, 1 << 20));
  quantity(
      command->add_option("--period", options->period_ms, "Period in ms instead of the plan's"),
      milliseconds().positive());
  quantity(command->add_option("--training-per-cycle", options->training_per_cycle,
                               "Training minibatches per cycle instead of the plan's"),
           count().within(0, 1e6));
  quantity(command->add_option("--inference-time", options->infer_ms,
                               "Planned inference minibatch in ms instead of the plan's"),
           milliseconds().positive());
  quantity(command->add_option("--training-time", options->train_ms,
                               "Planned training minibatch in ms instead of the plan's"),
           milliseconds().positive());
  quantity(command->add_option("--deadline-factor", executor.deadline_factor,
                               "A minibatch is late after X times its planned time"),
           number().within(1, 1e6))
      ->capture_default_str();
  quantity(command->add_option("--least-deadline", options->least_deadline_ms,
                               "Shortest deadline in ms"),
           milliseconds())
      ->capture_default_str();
  quantity(
      command->add_option("--grace", options->grace_ms, "From revoking a minibatch to SIGKILL, ms"),
      milliseconds())
      ->capture_default_str();
  name_choice(*command, "--hung", options->hung, {{"kill", "hold"}},
              "A worker that does not stop: kill it, or hold the device until it ends")
      ->capture_default_str();
  command->add_flag("--measure-interference", options->measure_interference,
                    "Of two workers: in the second half of --duration the driver shares the device "
                    "between them; prints the interference factor for schedule simulate");
  options->live.add_to(*command);
  add_device_options(*command, options->device);
  command->add_flag(
      "--apply-mode", options->apply_mode,
      "Set the plan's power mode on the device, and bring the old one back at the end");
  command->callback([&context, options, command] {
    options->live.check(*command);
    run(context, *options);
  });
}

}  // namespace ridgewatt::cli
