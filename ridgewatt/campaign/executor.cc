#include "ridgewatt/campaign/executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/environment.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/campaign/parallel/parallel.h"
#include "ridgewatt/campaign/slurm/slurm.h"

namespace ridgewatt::campaign {
namespace {

void add_measuring(const Plan& plan, std::vector<std::string>& words) {
  const auto& measure = plan.profile.measure;
  const auto& cache = plan.profile.cache;
  using Start = measure::CacheOptions::Start;
  const auto add = [&](const char* name, double value) {
    words.insert(words.end(), {name, fmt::format("{}", value)});
  };
  add("--settle", measure.settle.at_most_s);
  add("--settle-window", measure.settle.window_s);
  add("--window", measure.window.minibatches);
  add("--warm-up", measure.window.warm_up);
  add("--idle", measure.idle_s);
  add("--sampling-hz", measure.rate_hz);
  add("--max-celsius", plan.control.max_celsius);
  if (plan.control.full_fan) words.emplace_back("--full-fan");
  if (plan.control.no_idle_states) words.emplace_back("--no-idle-states");
  if (cache.start == Start::kFilled) words.insert(words.end(), {"--fill-cache", cache.path});
  if (cache.start == Start::kDropped) words.insert(words.end(), {"--drop-cache", cache.path});
}

// Replaces {device} by the name of the device, which fake boards need. {batch} is replaced later,
// on the board.
std::vector<std::string> with_device(std::vector<std::string> command, const std::string& device) {
  static const std::string kPlace = "{device}";
  for (auto& word : command) {
    for (auto at = word.find(kPlace); at != std::string::npos; at = word.find(kPlace, at)) {
      word.replace(at, kPlace.size(), device);
      at += device.size();
    }
  }
  return command;
}

double predicted_s(const std::vector<PlannedPoint>& points) {
  double sum_s = 0;
  for (const auto& point : points) sum_s += point.predicted_s;
  return sum_s;
}

std::vector<PlannedPoint> limited(std::vector<PlannedPoint> points,
                                  const ExecutorOptions& options) {
  for (auto& point : points) point.limit_s = point_limit_s(point, options);
  return points;
}

double limits_s(const std::vector<PlannedPoint>& points) {
  double sum_s = 0;
  for (const auto& point : points) sum_s += point.limit_s;
  return sum_s;
}

}  // namespace

double point_limit_s(const PlannedPoint& point, const ExecutorOptions& options) {
  constexpr double kUnpredictedS = 3600;
  if (options.limit_factor <= 0) return 0;
  const double expected_s =
      point.predicted_s > 0 ? options.limit_factor * point.predicted_s : kUnpredictedS;
  return std::ceil(std::max(options.limit_floor_s, expected_s));
}

double task_limit_s(const Order& order, const ExecutorOptions& options) {
  constexpr double kStartS = 600;  // for starting programs, and for setting and restoring the mode
  if (options.time_limit_s > 0) return options.time_limit_s;
  return order.predicted_s > 0 ? std::max(2 * order.predicted_s, order.limits_s) + kStartS : 0;
}

std::string ExecutorOptions::default_folder(const std::string& campaign) {
  return user_state_folder().value_or("/root/.local/state") + "/ridgewatt/campaign/" + campaign;
}

std::vector<std::string> command_of(const Order& order, const Task& task) {
  std::vector<std::string> words = order.arguments;
  for (const auto& point : task.points) {
    words.insert(words.end(), {"--point", point_text(point)});
  }
  words.emplace_back("--");
  words.insert(words.end(), order.command.begin(), order.command.end());
  return words;
}

Order order_of(const Plan& plan, const BoardKind& kind, const std::vector<Task>& tasks,
               const ExecutorOptions& options) {
  plan.check();
  Order order;
  order.campaign = plan.name;
  order.board_kind = kind.name;
  order.boards = kind.boards;
  order.arguments = {options.program,
                     "campaign",
                     "run",
                     "--campaign",
                     plan.name,
                     "--fingerprint",
                     fingerprint_of(plan),
                     "--board-kind",
                     kind.name,
                     "--device",
                     kind.device(),
                     "--store",
                     plan.store,
                     "--workload",
                     plan.profile.series.workload,
                     "--kind",
                     plan.profile.series.kind};
  add_measuring(plan, order.arguments);
  const auto calibration = limited(kind.calibration, options);
  for (const auto& point : calibration) {
    order.arguments.insert(order.arguments.end(), {"--calibrate", point_text(point)});
  }
  order.command = with_device(plan.profile.measure.command, kind.device());
  const double calibration_s = predicted_s(kind.calibration);
  for (const auto& task : tasks) {
    order.tasks.push_back({task.number, limited(task.points, options)});
    order.limits_s =
        std::max(order.limits_s, limits_s(order.tasks.back().points) + limits_s(calibration));
    const double task_s = predicted_s(task.points);
    if (task_s > 0) order.predicted_s = std::max(order.predicted_s, task_s + calibration_s);
  }
  return order;
}

std::unique_ptr<Executor> open_executor(ExecutorKind kind, const std::string& campaign,
                                        const ExecutorOptions& options) {
  if (kind == ExecutorKind::kSlurm) return std::make_unique<SlurmExecutor>(campaign, options);
  return std::make_unique<BackgroundExecutor>(kind, campaign, options);
}

std::unique_ptr<Executor> executor_of(const Plan& plan) {
  const auto kind = find_name<ExecutorKind>(plan.executor);
  if (!kind) {
    throw UsageError(
        "the campaign has not been submitted", plan.name,
        "run `ridgewatt campaign submit PLAN --executor slurm`, or with parallel or local");
  }
  return open_executor(*kind, plan.name, plan.options);
}

}  // namespace ridgewatt::campaign
