#include "ridgewatt/tune/evaluation.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "ridgewatt/base/parallel.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/platform/replay.h"

namespace ridgewatt {
namespace {

constexpr double kUnsolvedPenalty = 1;

// What became of one problem with one seed.
struct Outcome {
  bool solved = false;
  bool violated = false;
  double penalty = kUnsolvedPenalty;
  double penalty_with_flagged = kUnsolvedPenalty;
  double profiles = 0;
  double board_time_s = 0;
  double board_energy_j = 0;
};

// The goal with its slowdown reference from the sweep's top mode.
Goal with_reference(Goal goal, const SearchSpace& space, const Sweep& sweep) {
  if (!goal.needs_reference()) return goal;
  const OperatingPoint top = space[space.top()];
  for (const auto& row : sweep.observations) {
    if (row.point == top) goal.reference_time_s = row.time_s / std::max(top.batch, 1);
  }
  return goal;
}

std::optional<double> optimum(const Goal& goal, const Sweep& sweep) {
  const auto best = best_feasible(goal, sweep.observations);
  if (!best) return std::nullopt;
  return objective_value(goal, sweep.observations[*best]);
}

struct Problem {
  Goal goal;  // reference filled in
  double best = 0;
  double best_with_flagged = 0;
};

Outcome judge_answer(const Problem& problem, const Summary& summary, ReplayProfiler& truth) {
  Outcome outcome;
  outcome.profiles = static_cast<double>(summary.steps.size());
  outcome.board_time_s = summary.board_time_s;
  outcome.board_energy_j = summary.board_energy_j;
  if (!summary.answer) return outcome;
  const Observation seen = truth.profile(summary.answer->point);
  if (judge(problem.goal, seen).feasibility != Feasibility::kFeasible) {
    outcome.violated = true;
    return outcome;
  }
  outcome.solved = true;
  const double value = objective_value(problem.goal, seen);
  outcome.penalty = value / problem.best - 1;
  outcome.penalty_with_flagged = value / problem.best_with_flagged - 1;
  return outcome;
}

std::vector<double> collect(const std::vector<Outcome>& outcomes, double Outcome::*field) {
  std::vector<double> values;
  values.reserve(outcomes.size());
  for (const auto& outcome : outcomes) values.push_back(outcome.*field);
  return values;
}

// Share or statistic by problem, averaged over seeds, so that the bootstrap resamples problems.
std::vector<double> by_problem(const std::vector<double>& values, std::size_t seeds) {
  std::vector<double> means;
  for (std::size_t i = 0; i < values.size(); i += seeds) {
    means.push_back(mean(std::span(values).subspan(i, seeds)));
  }
  return means;
}

}  // namespace

Sweep restrict_to_modes(const Sweep& sweep, const Sweep& grid) {
  const KnobSpace modes = grid.space();
  Sweep result{sweep.source, sweep.workload, sweep.kind, {}, {}};
  for (std::size_t i = 0; i < sweep.observations.size(); ++i) {
    if (!modes.find(sweep.observations[i].point.mode)) continue;
    result.observations.push_back(sweep.observations[i]);
    result.lines.push_back(sweep.lines[i]);
  }
  return result;
}

std::shared_ptr<const SurrogatePrior> make_prior(const Scenario& scenario) {
  const SearchSpace space(scenario.sweep.points());
  auto prior = std::make_shared<SurrogatePrior>(space);
  for (const auto& reference : scenario.references) {
    prior->add_reference(space, reference.observations);
  }
  return prior;
}

Score evaluate(const Scenario& scenario, const StrategyRun& run, const EvaluationOptions& options,
               std::shared_ptr<const SurrogatePrior> prior) {
  const SearchSpace space(scenario.sweep.points());
  if (!prior) prior = make_prior(scenario);
  std::vector<Problem> problems;
  for (const auto& goal : scenario.goals) {
    Problem problem{with_reference(goal, space, scenario.sweep), 0, 0};
    const auto best = optimum(problem.goal, scenario.sweep);
    if (!best) continue;
    problem.best = *best;
    problem.best_with_flagged = optimum(problem.goal, scenario.sweep_with_flagged).value_or(*best);
    problems.push_back(problem);
  }
  Score score;
  score.scenario = scenario.name;
  score.workload = scenario.workload;
  score.strategy = run.strategy;
  score.profiles = run.profiles;
  if (problems.empty()) return score;

  const auto seeds = static_cast<std::size_t>(options.seeds);
  const ReplayProfiler truth(scenario.sweep);
  std::vector<Outcome> outcomes(problems.size() * seeds);
  parallel_for(
      outcomes.size(),
      [&](std::size_t i) {
        const Problem& problem = problems[i / seeds];
        const std::uint64_t seed = Random(options.seed).fork(i % seeds).next();
        ReplayProfiler profiler = truth;
        if (options.noise > 0 || options.outlier_share > 0) {
          profiler = truth.with_noise(
              {options.noise, options.outlier_share, Random(seed).fork(i / seeds).next()});
        }
        StrategyOptions strategy;
        strategy.strategy = run.strategy;
        strategy.budget.profiles = run.profiles;
        strategy.seed = seed;
        strategy.prior = prior;
        strategy.noise = std::max(strategy.noise, options.noise);
        Goal goal = problem.goal;
        goal.reference_time_s = 0;
        ReplayProfiler exact = truth;
        outcomes[i] = judge_answer(problem, tune(space, goal, profiler, strategy), exact);
      },
      options.threads);

  std::vector<double> solved, violated;
  for (const auto& outcome : outcomes) {
    solved.push_back(outcome.solved ? 1 : 0);
    violated.push_back(outcome.violated ? 1 : 0);
  }
  const auto penalties = collect(outcomes, &Outcome::penalty);
  const auto flagged = collect(outcomes, &Outcome::penalty_with_flagged);
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
  score.profiles_used = mean(collect(outcomes, &Outcome::profiles));
  score.board_time_s = mean(collect(outcomes, &Outcome::board_time_s));
  score.board_energy_j = mean(collect(outcomes, &Outcome::board_energy_j));
  return score;
}

}  // namespace ridgewatt
