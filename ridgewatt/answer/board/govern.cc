#include "ridgewatt/answer/govern.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "ridgewatt/answer/board/known_power.h"
#include "ridgewatt/answer/estimate.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/quantity.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/govern/day.h"
#include "ridgewatt/govern/modes.h"
#include "ridgewatt/measure/live_program.h"
#include "ridgewatt/platform/fake_load.h"

namespace ridgewatt::answer {
namespace {

// Seconds from now to the next HH:MM of the local clock; empty if `text` is not a clock time.
std::optional<double> until_clock(const std::string& text, std::time_t now) {
  const auto parts = split(text, ':');
  if (parts.size() != 2 || parts[1].size() != 2) return std::nullopt;
  const auto hour = parse_int(parts[0]), minute = parse_int(parts[1]);
  if (!hour || !minute || *hour < 0 || *hour > 23 || *minute < 0 || *minute > 59) {
    throw UsageError("is not a time of day (--deadline)", text, "give HH:MM, 00:00 to 23:59");
  }
  std::tm then{};
  ::localtime_r(&now, &then);
  then.tm_hour = static_cast<int>(*hour);
  then.tm_min = static_cast<int>(*minute);
  then.tm_sec = 0;
  then.tm_isdst = -1;
  std::time_t end = std::mktime(&then);
  if (end <= now) {
    ++then.tm_mday;
    then.tm_isdst = -1;
    end = std::mktime(&then);
  }
  return std::difftime(end, now);
}

double deadline_s(const std::string& text) {
  if (const auto clock = until_clock(text, std::time(nullptr))) return *clock;
  return parse_double(read_quantity(text, units::seconds().positive())).value();
}

// The batch of the question. If it has none, the fixed batch of the model, or 1.
int batch_of(const GovernQuestion& question, const GovernPlan& plan) {
  if (question.batch > 0) return question.batch;
  return plan.model ? fixed_batch(*plan.model).value_or(1) : 1;
}

govern::Goal goal_of(const GovernQuestion& question, int batch) {
  govern::Goal goal;
  goal.batch = batch;
  if (question.max_power_w) goal.power_w = *question.max_power_w;
  if (question.max_latency_s) goal.latency_s = *question.max_latency_s;
  goal.minibatches = question.minibatches;
  if (question.dataset_size > 0) {
    goal.minibatches = std::ceil(question.dataset_size * question.epochs / goal.batch);
  }
  if (!question.deadline.empty()) {
    goal.end_s = deadline_s(question.deadline);
    if (!(goal.minibatches > 0)) {
      throw UsageError("a deadline needs the size of the job", "--deadline",
                       "give --minibatches N, or --dataset-size N, --epochs E and --batch B");
    }
  }
  if (question.day_energy_j) {
    goal.energy_j = *question.day_energy_j;
    goal.end_s = question.day_s;
  }
  goal.check();
  return goal;
}

void take_samples(const GovernQuestion& question, GovernPlan& plan) {
  std::vector<Observation> taken;
  for (const auto& row : question.samples->observations) {
    if (question.batch > 0 && row.point.batch > 0 && row.point.batch != question.batch) continue;
    if (!row.point.mode.governor.empty()) continue;
    taken.push_back(row);
    plan.points.push_back(row.point);
  }
  if (taken.empty()) {
    throw InputError(fmt::format("no row has fixed clocks and batch {}", question.batch),
                     question.samples->source, "--batch must be a batch of the file");
  }
  plan.prior = govern::profiled_prior(taken);
  plan.workload = question.samples->workload;
}

void take_model(const GovernQuestion& question, const KnobSpace& space, GovernPlan& plan) {
  if (question.model.empty()) {
    throw UsageError("the model of the program is not known", "",
                     "give --model MODEL and --batch N, or profiled points with --samples FILE");
  }
  plan.model =
      std::make_shared<const workload::DeployedWorkload>(question.model, question.deployed);
  const int batch = batch_of(question, plan);
  const twin::TwinModel model(plan.twin, plan.model);
  plan.caveats = model.estimator(batch).cost().caveats;
  plan.points = govern::promising_modes(space, batch, model);
  plan.prior = govern::twin_prior(plan.points, govern::periods_by(plan.twin, plan.model));
  plan.workload = plan.model->name();
}

govern::Policy policy_of(const GovernQuestion& question, const GovernPlan& plan) {
  return {plan.goal, plan.prior, govern::idle_powers(plan.twin, plan.points), question.policy};
}

// The fields that simulated and live outcomes share.
template <class Outcome>
GovernAnswer answer_of(const GovernPlan& plan, const std::string& device, const Outcome& outcome,
                       std::vector<GovernStep> steps) {
  GovernAnswer found;
  found.goal = plan.goal;
  found.device = device;
  found.workload = plan.workload;
  found.end_s = outcome.end_s;
  found.minibatches = outcome.minibatches;
  found.energy_j = outcome.energy_j;
  found.switches = outcome.switches;
  found.trials = outcome.trials;
  found.modes = plan.points.size();
  found.steps = std::move(steps);
  return found;
}

template <class Step>
GovernStep step_of(const GovernPlan& plan, const govern::Policy& policy, const Step& step) {
  return {step.begin_s,        plan.points[step.decision.mode.value_or(policy.rest_mode())].mode,
          !step.decision.mode, step.decision,
          step.seen,           step.minibatches,
          step.energy_j};
}

template <class Wrong>
double share_of(const std::vector<GovernStep>& steps, Wrong wrong) {
  const auto count = std::count_if(steps.begin(), steps.end(),
                                   [&](const GovernStep& step) { return wrong(step.seen); });
  return static_cast<double>(count) / static_cast<double>(std::max<std::size_t>(steps.size(), 1));
}

}  // namespace

bool GovernAnswer::held() const {
  const double allowed = govern::tolerance(goal.kind());
  switch (goal.kind()) {
    case govern::GoalKind::kDeadline:
      return minibatches >= goal.minibatches * (1 - 1e-9) && end_s <= (1 + allowed) * goal.end_s;
    case govern::GoalKind::kEnergy:
      return energy_j <= (1 + allowed) * goal.energy_j;
    case govern::GoalKind::kPower:
      return over_share <= allowed;
    case govern::GoalKind::kLatency:
      return late_share <= allowed;
  }
  return false;
}

GovernPlan govern_plan(const GovernQuestion& question, const std::string& board,
                       const KnobSpace& space) {
  GovernPlan plan{board, twin::load_twin(load_board(board)), {}, {}, {}, {}, nullptr, {}};
  if (question.samples) {
    take_samples(question, plan);
  } else {
    require_power(plan.twin, board, "give measured samples");
    take_model(question, space, plan);
  }
  plan.goal = goal_of(question, batch_of(question, plan));
  return plan;
}

govern::Decision first_plan(const GovernQuestion& question, const GovernPlan& plan) {
  return policy_of(question, plan).decide({});
}

GovernAnswer govern_day(const GovernQuestion& question, const GovernPlan& plan) {
  if (!plan.model) {
    throw UsageError("a simulated day needs a model", "--simulate", "give --model MODEL");
  }
  const platform::FakeLoad load(plan.twin, *plan.model->at(question.batch), question.seed);
  const auto played = govern::day_board(
      plan.points, [&](const PowerMode& mode) { return load.truth(mode); },
      [&](const PowerMode& mode) { return twin::idle_power_w(plan.twin, mode); });
  govern::DayOptions day;
  day.length_s = plan.goal.end_s < govern::Goal::kNone ? plan.goal.end_s : question.day_s;
  day.rate_hz = question.arrival_hz;
  govern::Policy policy = policy_of(question, plan);
  const auto held = govern::govern_day(policy, played, govern::Day(day, question.seed), true);
  std::vector<GovernStep> steps;
  for (const auto& step : held.steps) steps.push_back(step_of(plan, policy, step));
  GovernAnswer found = answer_of(plan, plan.board, held, std::move(steps));
  found.how = held.done ? "simulated" : "the job was not done in twice its time";
  found.late_share = held.late_share;
  found.over_share = held.over_share;
  return found;
}

GovernAnswer govern_here(const GovernQuestion& question, const GovernPlan& plan,
                         const platform::LocalDevice& device, platform::JetsonModeControl& control,
                         const govern::LiveOptions& live,
                         const std::function<void(const std::vector<GovernStep>&)>& report) {
  govern::Policy policy = policy_of(question, plan);
  std::vector<GovernStep> steps;
  const auto set_mode = [&](const PowerMode& mode) {
    control.apply(mode);
    control.check_safety();
  };
  const auto see = [&](const govern::LiveStep& step) {
    control.check_safety();
    steps.push_back(step_of(plan, policy, step));
    if (report) report(steps);
  };
  govern::LiveOutcome outcome;
  try {
    outcome = govern::govern_program(*device.sysfs, policy, plan.points, set_mode, live, see);
  } catch (const measure::InterruptedError&) {
    control.restore();
    throw;
  }
  control.restore();
  const govern::Goal& goal = plan.goal;
  GovernAnswer found = answer_of(plan, device.name, outcome, std::move(steps));
  found.provenance = device.provenance();
  found.how = outcome.end;
  found.status = outcome.status;
  found.malformed_marks = outcome.malformed_marks;
  found.over_share = share_of(
      found.steps, [&](const govern::Window& seen) { return govern::over_cap(goal, seen); });
  found.late_share = share_of(found.steps, [&](const govern::Window& seen) {
    return seen.minibatches > 0 && seen.duration_s / seen.minibatches > goal.latency_s;
  });
  return found;
}

}  // namespace ridgewatt::answer
