#include "ridgewatt/evaluate/strategy_scores.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/sweep/replay.h"
#include "ridgewatt/tune/answer.h"

namespace ridgewatt::evaluate {
namespace {

constexpr double kUnsolvedPenalty = 1;

// The outcome of one problem with one seed.
struct SearchOutcome {
  bool solved = false;
  bool violated = false;
  double penalty = kUnsolvedPenalty;
  double penalty_with_flagged = kUnsolvedPenalty;
  double saving = std::numeric_limits<double>::quiet_NaN();
  double payback_minibatches = std::numeric_limits<double>::quiet_NaN();
  double profiles = 0;
  double board_time_s = 0;
  double board_energy_j = 0;
  double wall_clock_s = 0;
  double stated_near_best = std::numeric_limits<double>::quiet_NaN();

  bool near_best() const { return solved && penalty <= tune::kNearBest; }

  std::vector<double> values() const {
    return {solved ? 1.0 : 0.0,
            violated ? 1.0 : 0.0,
            penalty,
            penalty_with_flagged,
            saving,
            payback_minibatches,
            profiles,
            board_time_s,
            board_energy_j,
            wall_clock_s,
            stated_near_best};
  }
};

SearchOutcome search_outcome(const std::vector<double>& v) {
  if (v.size() != 11) throw InputError("an outcome of a strategy must have eleven numbers");
  return {v[0] != 0, v[1] != 0, v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10]};
}

std::optional<double> optimum(const tune::Goal& goal, const Sweep& sweep) {
  const auto best = tune::best_feasible(goal, sweep.observations);
  if (!best) return std::nullopt;
  return tune::objective_value(goal, sweep.observations[*best]);
}

}  // namespace

namespace strategy_scoring {

struct Problem {
  tune::Goal goal;  // with its reference time
  double best = 0;
  double best_with_flagged = 0;
  std::optional<Observation> maxn;  // set if the slowdown relative to it is limited
};

}  // namespace strategy_scoring

namespace {

using strategy_scoring::Problem;

std::vector<Problem> solvable_problems(const StrategyScenario& scenario,
                                       const tune::SearchSpace& space) {
  std::vector<Problem> problems;
  for (const auto& goal : scenario.goals) {
    Problem problem;
    problem.goal = goal;
    if (goal.needs_reference()) {
      const OperatingPoint top = space[space.top()];
      for (const auto& row : scenario.sweep.observations) {
        if (row.point == top) problem.maxn = row;
      }
      problem.goal.reference_time_s = problem.maxn->time_s / std::max(top.batch, 1);
    }
    const auto best = optimum(problem.goal, scenario.sweep);
    if (!best) continue;
    problem.best = *best;
    problem.best_with_flagged = optimum(problem.goal, scenario.sweep_with_flagged).value_or(*best);
    problems.push_back(problem);
  }
  return problems;
}

SearchOutcome judge_answer(const Problem& problem, const tune::SearchSummary& summary,
                           ReplayProfiler& truth) {
  SearchOutcome outcome;
  outcome.profiles = static_cast<double>(summary.steps.size());
  outcome.board_time_s = summary.board_time_s;
  outcome.board_energy_j = summary.board_energy_j;
  outcome.wall_clock_s = summary.wall_clock_s;
  if (!summary.answer) return outcome;
  if (summary.near_best) outcome.stated_near_best = *summary.near_best;
  const Observation seen = truth.profile(summary.answer->point);
  if (tune::judge(problem.goal, seen).feasibility != tune::Feasibility::kFeasible) {
    outcome.violated = true;
    return outcome;
  }
  outcome.solved = true;
  const double value = tune::objective_value(problem.goal, seen);
  outcome.penalty = value / problem.best - 1;
  outcome.penalty_with_flagged = value / problem.best_with_flagged - 1;
  if (problem.maxn && problem.goal.objective == tune::Objective::kEnergy) {
    const double maxn = tune::objective_value(problem.goal, *problem.maxn);
    if (maxn > problem.best) outcome.saving = (maxn - value) / (maxn - problem.best);
    const double saved_j = (maxn - value) * std::max(seen.point.batch, 1);
    if (saved_j > 0) outcome.payback_minibatches = summary.board_energy_j / saved_j;
  }
  return outcome;
}

std::vector<double> collect(const std::vector<SearchOutcome>& outcomes,
                            double SearchOutcome::*field) {
  std::vector<double> values;
  values.reserve(outcomes.size());
  for (const auto& outcome : outcomes) values.push_back(outcome.*field);
  return values;
}

// Means over seeds for each problem, so that the bootstrap resamples problems.
std::vector<double> by_problem(const std::vector<double>& values, std::size_t seeds) {
  std::vector<double> means;
  for (std::size_t i = 0; i < values.size(); i += seeds) {
    means.push_back(mean(std::span(values).subspan(i, seeds)));
  }
  return means;
}

// Median without NaN values; NaN if there are no other values.
double median_of_known(std::vector<double> values) {
  std::erase_if(values, [](double value) { return std::isnan(value); });
  return values.empty() ? std::numeric_limits<double>::quiet_NaN() : median(values);
}

void summarize(const std::vector<SearchOutcome>& outcomes, std::size_t seeds,
               StrategyScore& score) {
  std::vector<double> solved, violated;
  for (const auto& outcome : outcomes) {
    solved.push_back(outcome.solved ? 1 : 0);
    violated.push_back(outcome.violated ? 1 : 0);
  }
  const auto penalties = collect(outcomes, &SearchOutcome::penalty);
  const auto flagged = collect(outcomes, &SearchOutcome::penalty_with_flagged);
  double near_best = 0;
  for (const auto& outcome : outcomes) {
    near_best += outcome.near_best() ? 1 : 0;
    if (std::isnan(outcome.stated_near_best)) continue;
    score.near_best.push_back({outcome.stated_near_best, outcome.near_best()});
  }
  score.near_best_share = near_best / static_cast<double>(outcomes.size());
  score.problems = outcomes.size();
  score.solved = mean(solved);
  score.violations = mean(violated);
  score.median_penalty = median(penalties);
  score.mean_penalty = mean(penalties);
  score.p90_penalty = quantile(penalties, 0.9);
  score.median_penalty_with_flagged = median(flagged);
  score.mean_penalty_with_flagged = mean(flagged);
  const auto average = [](std::span<const double> values) { return mean(values); };
  const auto middle = [](std::span<const double> values) { return median(values); };
  score.solved_interval = bootstrap_interval(by_problem(solved, seeds), average);
  score.mean_interval = bootstrap_interval(by_problem(penalties, seeds), average);
  score.median_interval = bootstrap_interval(by_problem(penalties, seeds), middle);
  score.median_saving = median_of_known(collect(outcomes, &SearchOutcome::saving));
  score.median_payback_minibatches =
      median_of_known(collect(outcomes, &SearchOutcome::payback_minibatches));
  score.profiles_used = mean(collect(outcomes, &SearchOutcome::profiles));
  score.board_time_s = mean(collect(outcomes, &SearchOutcome::board_time_s));
  score.board_energy_j = mean(collect(outcomes, &SearchOutcome::board_energy_j));
  score.wall_clock_s = mean(collect(outcomes, &SearchOutcome::wall_clock_s));
}

}  // namespace

Sweep restrict_to_modes(const Sweep& sweep, const Sweep& grid) {
  const KnobSpace modes = grid.space();
  Sweep result = sweep.without_rows();
  for (std::size_t i = 0; i < sweep.observations.size(); ++i) {
    if (!modes.find(sweep.observations[i].point.mode)) continue;
    result.add_row(sweep, i);
  }
  return result;
}

std::shared_ptr<const tune::SurrogatePrior> make_prior(const StrategyScenario& scenario) {
  const tune::SearchSpace space(scenario.sweep.points());
  auto prior = std::make_shared<tune::SurrogatePrior>(
      space, scenario.groups.empty() ? predict::workload_groups()
                                     : std::span<const predict::WorkloadGroup>(scenario.groups));
  for (const auto& reference : scenario.references) {
    prior->add_reference(space, reference.observations);
  }
  return prior;
}

struct ScenarioSearches::Ready {
  explicit Ready(const StrategyScenario& scenario_)
      : scenario(scenario_),
        space(scenario.sweep.points()),
        problems(solvable_problems(scenario, space)),
        truth(scenario.sweep) {}

  tune::SearchSummary search(const StrategyRun& run, const StrategyEvaluationOptions& options,
                             const std::shared_ptr<const tune::SurrogatePrior>& prior,
                             std::size_t problem, std::size_t seed_index) const {
    const std::uint64_t seed = Random(options.seed).fork(seed_index).next();
    ReplayProfiler profiler = truth;
    if (options.noise > 0 || options.outlier_share > 0) {
      profiler = truth.with_noise(
          {options.noise, options.outlier_share, Random(seed).fork(problem).next()});
    }
    tune::StrategyOptions strategy;
    strategy.strategy = run.strategy;
    strategy.budget.profiles = run.profiles;
    strategy.seed = seed;
    strategy.presets = scenario.presets;
    strategy.prior = prior;
    strategy.near_best = options.near_best;
    strategy.noise = std::max(strategy.noise, options.noise);
    tune::Goal goal = problems[problem].goal;
    goal.reference_time_s = 0;
    strategy.in_flight = options.in_flight;
    if (run.boards < 1) return tune::tune(space, goal, profiler, strategy);
    tune::SimulationOptions simulation = options.simulation;
    simulation.boards = run.boards;
    simulation.minibatches = strategy.budget.minibatches;
    simulation.seed = Random(seed).fork(problem).next();
    tune::SimulatedBoards boards(profiler, simulation);
    return tune::tune(space, goal, boards, strategy);
  }

  const StrategyScenario& scenario;
  tune::SearchSpace space;
  std::vector<Problem> problems;
  ReplayProfiler truth;
};

ScenarioSearches::ScenarioSearches(const StrategyScenario& scenario)
    : ready_(std::make_unique<Ready>(scenario)) {}
ScenarioSearches::~ScenarioSearches() = default;

std::size_t ScenarioSearches::problems() const {
  return ready_->problems.size();
}

std::size_t ScenarioSearches::searches(const StrategyRun& run, int seeds) const {
  const bool one_search = tune::find_strategy(run.strategy).learns_front;
  return (one_search ? std::min<std::size_t>(problems(), 1) : problems()) *
         static_cast<std::size_t>(seeds);
}

std::vector<Outcome> ScenarioSearches::search(
    const StrategyRun& run, const StrategyEvaluationOptions& options,
    const std::shared_ptr<const tune::SurrogatePrior>& prior, std::size_t index) const {
  const auto seeds = static_cast<std::size_t>(options.seeds);
  const auto& problems = ready_->problems;
  ReplayProfiler exact = ready_->truth;
  if (!tune::find_strategy(run.strategy).learns_front) {
    const std::size_t problem = index / seeds;
    const auto summary = ready_->search(run, options, prior, problem, index % seeds);
    return {{0, index, judge_answer(problems[problem], summary, exact).values()}};
  }
  tune::SearchSummary summary = ready_->search(run, options, prior, 0, index);
  std::vector<Observation> seen;
  for (const auto& step : summary.steps) seen.push_back(step.seen);
  std::optional<tune::NoisyAnswers> noisy;
  if (options.noise > tune::kNoisy) noisy.emplace(ready_->space, *prior, options.noise, seen);
  std::vector<Outcome> outcomes;
  for (std::size_t p = 0; p < problems.size(); ++p) {
    summary.answer = std::nullopt;
    if (noisy) {
      summary.answer = noisy->answer(problems[p].goal);
    } else if (const auto best = tune::best_feasible(problems[p].goal, seen)) {
      summary.answer = seen[*best];
    }
    outcomes.push_back({0, p * seeds + index, judge_answer(problems[p], summary, exact).values()});
  }
  return outcomes;
}

StrategyScore score_outcomes(const std::vector<std::vector<double>>& outcomes, std::size_t seeds) {
  StrategyScore score;
  if (outcomes.empty()) return score;
  if (seeds == 0 || outcomes.size() % seeds != 0) {
    throw InputError("the outcomes of a strategy do not cover all seeds of each problem");
  }
  std::vector<SearchOutcome> found;
  found.reserve(outcomes.size());
  for (const auto& values : outcomes) found.push_back(search_outcome(values));
  summarize(found, seeds, score);
  return score;
}

}  // namespace ridgewatt::evaluate
