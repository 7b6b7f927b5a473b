#include "ridgewatt/evaluate/govern_scores.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "ridgewatt/base/check_option.h"
#include "ridgewatt/base/parallel.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/govern/modes.h"
#include "ridgewatt/platform/fake_load.h"

namespace ridgewatt::evaluate {
namespace {

using govern::GoalKind;

// The parts that are the same for all days.
struct GovernedModel {
  std::string name;
  std::shared_ptr<const workload::WorkloadCost> cost;
  std::vector<OperatingPoint> points;  // the modes from which the policy chooses
  govern::ModePrior prior;
  std::vector<double> idle_w;
};

struct GovernedBoard {
  twin::Twin twin;
  std::vector<OperatingPoint> all;
};

GovernedModel governed_model(const GovernedBoard& board, const KnobSpace& space,
                             const std::string& name, WorkloadKind kind, int batch) {
  const auto workload = std::make_shared<const workload::DeployedWorkload>(
      name, workload::DeployOptions{.kind = kind});
  const twin::TwinModel model(board.twin, workload);
  GovernedModel made;
  made.name = name;
  made.cost = workload->at(batch);
  made.points = govern::promising_modes(space, batch, model);
  made.prior = govern::twin_prior(made.points, govern::periods_by(board.twin, workload));
  made.idle_w = govern::idle_powers(board.twin, made.points);
  return made;
}

double miss_of(const govern::Goal& goal, const govern::DayOutcome& outcome) {
  switch (goal.kind()) {
    case GoalKind::kDeadline:
      return outcome.end_s / goal.end_s - 1;
    case GoalKind::kEnergy:
      return outcome.energy_j / goal.energy_j - 1;
    case GoalKind::kPower:
      return outcome.over_share;
    case GoalKind::kLatency:
      return outcome.late_share;
  }
  return 0;
}

double cost_of(const GovernedDay& day) {
  switch (day.goal.kind()) {
    case GoalKind::kDeadline:
    case GoalKind::kLatency:
      return day.held.energy_j / day.fixed.energy_j - 1;
    case GoalKind::kEnergy:
    case GoalKind::kPower:
      return day.fixed.minibatches / day.held.minibatches - 1;
  }
  return 0;
}

GovernedDay govern_one(GoalKind kind, const GovernedBoard& board, const GovernedModel& model,
                       Random random, const govern::PolicyOptions& policy) {
  const std::uint64_t seed = random.next();
  const platform::FakeLoad load(board.twin, *model.cost, seed);
  const double idle_factor = random.uniform(0.9, 1.1);
  const auto truth = [&](const PowerMode& mode) { return load.truth(mode); };
  const auto idle_w = [&](const PowerMode& mode) {
    return idle_factor * twin::idle_power_w(board.twin, mode);
  };
  const govern::DayBoard everything = govern::day_board(board.all, truth, idle_w);
  const govern::DayBoard few = govern::day_board(model.points, truth, idle_w);
  const twin::TimePower top = everything.modes[everything.top].cost;
  const double rest_w = everything.modes[everything.rest].idle_w;

  govern::DayOptions options;
  GovernedDay day;
  day.model = model.name;
  if (kind != GoalKind::kEnergy) options.length_s = 3600 * random.uniform(2, 12);
  if (kind == GoalKind::kLatency) {
    options.pauses_per_h = 0;
    options.rate_hz = random.uniform(0.3, 0.7) / top.time_s;
    day.goal.latency_s = random.uniform(2, 5) * top.time_s;
  }
  const govern::Day weather(options, seed);
  day.goal.end_s = options.length_s;
  if (kind == GoalKind::kDeadline) {
    const double most = weather.open_share() * options.length_s / top.time_s;
    day.goal.minibatches = std::floor(random.uniform(0.3, 0.9) * most);
  } else if (kind == GoalKind::kEnergy) {
    day.goal.energy_j =
        options.length_s * (rest_w + random.uniform(0.2, 0.8) * (top.power_w - rest_w));
  } else if (kind == GoalKind::kPower) {
    day.goal.power_w = rest_w + random.uniform(0.3, 0.8) * (top.power_w - rest_w);
  }
  govern::Policy governor(day.goal, model.prior, model.idle_w, policy);
  day.held = govern::govern_day(governor, few, weather);
  day.miss = miss_of(day.goal, day.held);
  if (const auto fixed = govern::best_fixed_day(day.goal, everything, weather)) {
    day.has_fixed = true;
    day.fixed = *fixed;
    day.fixed_mode = board.all[fixed->mode].mode;
    day.cost = cost_of(day);
  }
  return day;
}

void add_up(GovernScore& score) {
  std::vector<double> misses, costs;
  score.tolerance = govern::tolerance(score.goal);
  for (const auto& day : score.days) {
    misses.push_back(day.miss);
    // A budget can be missed on both sides: unused energy is a miss as well.
    const double miss = score.goal == GoalKind::kEnergy ? std::abs(day.miss) : day.miss;
    score.held += miss <= score.tolerance && day.held.done;
    score.worst_miss = std::max(score.worst_miss, miss);
    score.switches += static_cast<double>(day.held.switches);
    score.trials += static_cast<double>(day.held.trials);
    if (!day.has_fixed) continue;
    costs.push_back(day.cost);
    score.within_5 += day.cost <= 0.05;
  }
  const auto count = static_cast<double>(score.days.size());
  score.held /= count, score.switches /= count, score.trials /= count;
  score.median_miss = median(misses);
  score.compared = costs.size();
  if (costs.empty()) return;
  score.within_5 /= static_cast<double>(costs.size());
  score.median_cost = median(costs);
  score.mean_cost = mean(costs);
  score.p95_cost = quantile(costs, 0.95);
  score.worst_cost = *std::max_element(costs.begin(), costs.end());
}

}  // namespace

void GovernScoreOptions::check() const {
  policy.check();
  require_option(days >= 1 && days <= 100000, "GovernScoreOptions::days", days, "1 to 100000");
  require_option(batch >= 1, "GovernScoreOptions::batch", batch, "1 or more");
  if (models.empty()) throw UsageError("evaluate govern needs at least one --model", "");
  if (goals.empty()) throw UsageError("evaluate govern needs at least one --goal", "");
}

std::vector<GovernScore> score_governor(const GovernScoreOptions& options) {
  options.check();
  const Board device = load_board(options.board);
  const KnobSpace space = knob_space(device);
  GovernedBoard board{twin::load_twin(device), {}};
  for (const auto& mode : space.modes()) board.all.push_back({mode, 0});
  std::vector<GovernScore> scores;
  for (const GoalKind goal : options.goals) {
    const bool serving = goal == GoalKind::kLatency;
    std::vector<GovernedModel> models;
    for (const auto& name : options.models) {
      models.push_back(governed_model(board, space, name,
                                      serving ? WorkloadKind::kInference : WorkloadKind::kTraining,
                                      serving ? 1 : options.batch));
    }
    GovernScore score;
    score.goal = goal;
    score.days.resize(static_cast<std::size_t>(options.days));
    parallel_for(
        score.days.size(),
        [&](std::size_t i) {
          const Random random =
              Random(options.seed).fork(1000 * static_cast<std::uint64_t>(goal) + 17).fork(i);
          score.days[i] =
              govern_one(goal, board, models[i % models.size()], random, options.policy);
        },
        options.threads);
    add_up(score);
    scores.push_back(std::move(score));
  }
  return scores;
}

}  // namespace ridgewatt::evaluate
