#include "ridgewatt/evaluate/strategy_scores.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "ridgewatt/base/parallel.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/sweep/replay.h"
#include "ridgewatt/tune/answer.h"

namespace ridgewatt::evaluate {
namespace {

constexpr double kUnsolvedPenalty = 1;

// What became of one problem with one seed.
struct Outcome {
  bool solved = false;
  bool violated = false;
  double penalty = kUnsolvedPenalty;
  double penalty_with_flagged = kUnsolvedPenalty;
  double saving = std::numeric_limits<double>::quiet_NaN();
  double payback_minibatches = std::numeric_limits<double>::quiet_NaN();
  double profiles = 0;
  double board_time_s = 0;
  double board_energy_j = 0;
};

std::optional<double> optimum(const tune::Goal& goal, const Sweep& sweep) {
  const auto best = tune::best_feasible(goal, sweep.observations);
  if (!best) return std::nullopt;
  return tune::objective_value(goal, sweep.observations[*best]);
}

struct Problem {
  tune::Goal goal;  // reference filled in
  double best = 0;
  double best_with_flagged = 0;
  std::optional<Observation> maxn;  // where the slowdown against it is limited
};

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

Outcome judge_answer(const Problem& problem, const tune::SearchSummary& summary,
                     ReplayProfiler& truth) {
  Outcome outcome;
  outcome.profiles = static_cast<double>(summary.steps.size());
  outcome.board_time_s = summary.board_time_s;
  outcome.board_energy_j = summary.board_energy_j;
  if (!summary.answer) return outcome;
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

// Median of the values that are numbers; not a number when there are none.
double median_of_known(std::vector<double> values) {
  std::erase_if(values, [](double value) { return std::isnan(value); });
  return values.empty() ? std::numeric_limits<double>::quiet_NaN() : median(values);
}

void summarize(const std::vector<Outcome>& outcomes, std::size_t seeds, StrategyScore& score) {
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
  score.median_saving = median_of_known(collect(outcomes, &Outcome::saving));
  score.median_payback_minibatches =
      median_of_known(collect(outcomes, &Outcome::payback_minibatches));
  score.profiles_used = mean(collect(outcomes, &Outcome::profiles));
  score.board_time_s = mean(collect(outcomes, &Outcome::board_time_s));
  score.board_energy_j = mean(collect(outcomes, &Outcome::board_energy_j));
}

}  // namespace

Sweep restrict_to_modes(const Sweep& sweep, const Sweep& grid) {
  const KnobSpace modes = grid.space();
  Sweep result = sweep.without_rows();
  for (std::size_t i = 0; i < sweep.observations.size(); ++i) {
    if (!modes.find(sweep.observations[i].point.mode)) continue;
    result.observations.push_back(sweep.observations[i]);
    result.lines.push_back(sweep.lines[i]);
  }
  return result;
}

std::shared_ptr<const tune::SurrogatePrior> make_prior(const StrategyScenario& scenario) {
  const tune::SearchSpace space(scenario.sweep.points());
  auto prior = std::make_shared<tune::SurrogatePrior>(space);
  for (const auto& reference : scenario.references) {
    prior->add_reference(space, reference.observations);
  }
  return prior;
}

StrategyScore evaluate_strategy(const StrategyScenario& scenario, const StrategyRun& run,
                                const StrategyEvaluationOptions& options,
                                std::shared_ptr<const tune::SurrogatePrior> prior) {
  const tune::SearchSpace space(scenario.sweep.points());
  if (!prior) prior = make_prior(scenario);
  const auto problems = solvable_problems(scenario, space);
  StrategyScore score;
  score.scenario = scenario.name;
  score.workload = scenario.workload;
  score.strategy = run.strategy;
  score.profiles = run.profiles;
  if (problems.empty()) return score;

  const auto seeds = static_cast<std::size_t>(options.seeds);
  const ReplayProfiler truth(scenario.sweep);
  const auto search = [&](std::size_t problem, std::size_t seed_index) {
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
    strategy.noise = std::max(strategy.noise, options.noise);
    tune::Goal goal = problems[problem].goal;
    goal.reference_time_s = 0;
    return tune::tune(space, goal, profiler, strategy);
  };
  std::vector<Outcome> outcomes(problems.size() * seeds);
  const bool one_search = tune::find_strategy(run.strategy).learns_front;
  parallel_for(
      one_search ? seeds : outcomes.size(),
      [&](std::size_t i) {
        ReplayProfiler exact = truth;
        if (!one_search) {
          outcomes[i] = judge_answer(problems[i / seeds], search(i / seeds, i % seeds), exact);
          return;
        }
        tune::SearchSummary summary = search(0, i);
        std::vector<Observation> seen;
        for (const auto& step : summary.steps) seen.push_back(step.seen);
        std::optional<tune::NoisyAnswers> noisy;
        if (options.noise > tune::kNoisy) noisy.emplace(space, *prior, options.noise, seen);
        for (std::size_t p = 0; p < problems.size(); ++p) {
          summary.answer = std::nullopt;
          if (noisy) {
            summary.answer = noisy->answer(problems[p].goal);
          } else if (const auto best = tune::best_feasible(problems[p].goal, seen)) {
            summary.answer = seen[*best];
          }
          outcomes[p * seeds + i] = judge_answer(problems[p], summary, exact);
        }
      },
      options.threads);
  summarize(outcomes, seeds, score);
  return score;
}

}  // namespace ridgewatt::evaluate
