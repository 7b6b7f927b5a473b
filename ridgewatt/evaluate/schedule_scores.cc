#include "ridgewatt/evaluate/schedule_scores.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <set>

#include "ridgewatt/base/clock.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/parallel.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/schedule/plan_search.h"

namespace ridgewatt::evaluate {
namespace {

struct PlanOutcome {
  bool solved = false;
  double loss = 0;  // this and the next only where the optimum trains
  double throughput_hz = 0, optimum_hz = 0;
  bool trains = false;
  double profiles = 0;
};

// One pair: its problems, their optima, and the sample that strategies are tried on.
struct PairTask {
  PairTask(const PairOfSweeps& pair, const ScheduleEvaluationOptions& options, Random random)
      : training(pair.training.workload),
        inference(pair.inference.workload),
        space(schedule::join_sweeps({pair.inference, {{pair.training, 0}}})),
        problems(options.grid.problems()) {
    const schedule::PlanTable table(space.candidates());
    std::vector<std::size_t> solvable_problems;
    for (std::size_t i = 0; i < problems.size(); ++i) {
      optima.push_back(table.best_throughput(problems[i]));
      if (optima.back()) solvable_problems.push_back(i);
    }
    solvable = solvable_problems.size();
    const std::size_t wanted =
        options.problems_per_pair == 0 ? solvable : std::min(solvable, options.problems_per_pair);
    for (const std::size_t i : random.sample(solvable, wanted)) {
      tried.push_back(solvable_problems[i]);
    }
    std::sort(tried.begin(), tried.end());
  }

  std::string training, inference;
  schedule::PlanSpace space;
  std::vector<schedule::PlanProblem> problems;
  std::vector<std::optional<double>> optima;
  std::size_t solvable = 0;
  std::vector<std::size_t> tried;
};

schedule::PlanSearchOptions search_options(const PlanStrategyRun& run, std::uint64_t seed) {
  schedule::PlanSearchOptions options;
  options.strategy = run.strategy;
  options.profiles = run.profiles;
  options.seed = seed;
  return options;
}

PlanOutcome outcome_of(const schedule::Plan& plan, double optimum, std::size_t profiles) {
  PlanOutcome outcome;
  outcome.solved = plan.feasible;
  outcome.trains = optimum > 0;
  outcome.profiles = static_cast<double>(profiles);
  if (outcome.trains) {
    outcome.throughput_hz = plan.feasible ? plan.cycle.training_throughput_hz : 0;
    outcome.optimum_hz = optimum;
    outcome.loss = 1 - outcome.throughput_hz / optimum;
  }
  return outcome;
}

std::vector<PlanOutcome> search_each(const PairTask& task, const PlanStrategyRun& run,
                                     const ScheduleEvaluationOptions& options,
                                     const std::function<void()>& done_one) {
  std::vector<PlanOutcome> outcomes(task.tried.size());
  parallel_for(
      outcomes.size(),
      [&](std::size_t i) {
        const std::size_t problem = task.tried[i];
        schedule::PlanSearch search(task.space, task.problems[problem],
                                    schedule::replay(task.space),
                                    search_options(run, options.seed + problem));
        const auto summary = search.run();
        outcomes[i] = outcome_of(summary.plan, *task.optima[problem], summary.profiled.size());
        done_one();
      },
      options.threads);
  return outcomes;
}

// Fronts for the whole range of latency bounds.
schedule::PlanSearchOptions front_options(const PlanStrategyRun& run,
                                          const ScheduleEvaluationOptions& options,
                                          std::size_t rate) {
  schedule::PlanSearchOptions result = search_options(run, options.seed + rate);
  const double least = options.grid.least_latency_s / options.grid.most_latency_s;
  result.front_latency_shares = {1.0, 0.5 * (1 + least), least, 0.25 + 0.75 * least};
  return result;
}

// What one search knows that answers many problems: what it profiled, and for `nn` what the
// networks predict; the last profile checks the plan that they predict to be best.
struct Learned {
  std::vector<schedule::Candidate> observed;
  std::optional<schedule::PlanTable> predicted;
  std::size_t profiles = 0;

  schedule::Plan answer(const schedule::PlanSpace& space,
                        const schedule::PlanProblem& problem) const {
    std::vector<schedule::Candidate> known = observed;
    if (predicted) {
      const schedule::Candidate wanted = predicted->best(problem).candidate;
      known.push_back(space.candidates()[*space.points().find(wanted.point())]);
    }
    return schedule::PlanTable(std::move(known)).best(problem);
  }
};

// One search at a rate, without limits other than the loosest latency.
Learned learn(const PairTask& task, const PlanStrategyRun& run, double rate_hz, std::size_t index,
              const ScheduleEvaluationOptions& options) {
  schedule::PlanProblem open;
  open.arrival_rate_hz = rate_hz;
  open.max_latency_s = options.grid.most_latency_s;
  open.bound = options.grid.bound;
  PlanStrategyRun profiling = run;
  if (run.strategy == "nn") profiling = {"random", std::max(1, run.profiles - 1)};
  schedule::PlanSearch search(task.space, open, schedule::replay(task.space),
                              front_options(profiling, options, index));
  const auto summary = search.run();
  Learned learned;
  for (const std::size_t point : summary.profiled) {
    learned.observed.push_back(task.space.candidates()[point]);
  }
  learned.profiles = summary.profiled.size();
  if (run.strategy == "nn") {
    learned.predicted.emplace(schedule::predict_with_networks(search));
    ++learned.profiles;
  }
  return learned;
}

// A few searches, each of which answers all problems of its rates: `als` searches anew for every
// rate; what `nn` learns does not depend on the rate, so three draws of its points do.
std::vector<PlanOutcome> search_each_rate(const PairTask& task, const PlanStrategyRun& run,
                                          const ScheduleEvaluationOptions& options,
                                          const std::function<void()>& done_one) {
  constexpr std::size_t kDraws = 3;
  std::map<double, std::vector<std::size_t>> by_rate;  // positions in task.tried
  for (std::size_t i = 0; i < task.tried.size(); ++i) {
    by_rate[task.problems[task.tried[i]].arrival_rate_hz].push_back(i);
  }
  struct Group {
    double rate_hz = 0;  // the highest
    std::vector<std::size_t> tried;
  };
  std::vector<Group> groups(run.strategy == "nn" ? std::min(kDraws, by_rate.size())
                                                 : by_rate.size());
  std::size_t next = 0;
  for (const auto& [rate_hz, tried] : by_rate) {
    Group& group = groups[next++ % groups.size()];
    group.rate_hz = rate_hz;
    group.tried.insert(group.tried.end(), tried.begin(), tried.end());
  }
  std::vector<PlanOutcome> outcomes(task.tried.size());
  parallel_for(
      groups.size(),
      [&](std::size_t g) {
        const Learned learned = learn(task, run, groups[g].rate_hz, g, options);
        for (const std::size_t i : groups[g].tried) {
          const std::size_t problem = task.tried[i];
          outcomes[i] = outcome_of(learned.answer(task.space, task.problems[problem]),
                                   *task.optima[problem], learned.profiles);
          done_one();
        }
      },
      options.threads);
  return outcomes;
}

ScheduleScore score_of(const std::vector<PlanOutcome>& outcomes) {
  ScheduleScore score;
  score.tried = outcomes.size();
  std::vector<double> losses, all;
  double found_hz = 0, optimum_hz = 0;
  for (const auto& outcome : outcomes) {
    score.solved += outcome.solved ? 1 : 0;
    score.profiles_used += outcome.profiles;
    if (!outcome.trains) continue;
    all.push_back(outcome.loss);
    found_hz += outcome.throughput_hz;
    optimum_hz += outcome.optimum_hz;
    if (outcome.solved) losses.push_back(outcome.loss);
  }
  if (outcomes.empty()) return score;
  score.solved /= static_cast<double>(outcomes.size());
  score.profiles_used /= static_cast<double>(outcomes.size());
  if (!all.empty()) {
    score.mean_loss_of_all = mean(all);
    score.total_loss = 1 - found_hz / optimum_hz;
  }
  if (losses.empty()) return score;
  score.mean_loss = mean(losses);
  score.median_loss = median(losses);
  score.p90_loss = quantile(losses, 0.9);
  score.mean_loss_interval = bootstrap_interval(
      losses, [](std::span<const double> v) { return mean(v); }, 0.95, 1, 300);
  return score;
}

void append_range(std::vector<double>& values, double least, double most, double step) {
  if (!(step > 0) || !(most >= least) || !((most - least) / step < 1e5)) {
    throw UsageError("a range of the problem grid is empty or too fine");
  }
  const auto count = static_cast<int>(std::floor((most - least) / step + 1e-9));
  for (int i = 0; i <= count; ++i) values.push_back(least + i * step);
}

}  // namespace

std::vector<schedule::PlanProblem> ProblemGrid::problems() const {
  std::vector<double> powers, latencies, rates;
  append_range(powers, least_power_w, most_power_w, power_step_w);
  append_range(latencies, least_latency_s, most_latency_s, latency_step_s);
  append_range(rates, least_rate_hz, most_rate_hz, rate_step_hz);
  std::vector<schedule::PlanProblem> result;
  for (const double rate : rates) {
    for (const double latency : latencies) {
      for (const double power : powers) result.push_back({rate, latency, power, bound});
    }
  }
  return result;
}

std::vector<ScheduleScore> evaluate_schedules(const std::vector<PairOfSweeps>& pairs,
                                              const ScheduleEvaluationOptions& options) {
  if (pairs.empty()) throw UsageError("no pair of workloads to evaluate");
  const Random random(options.seed);
  std::vector<PairTask> tasks;
  std::size_t total = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    tasks.emplace_back(pairs[i], options, random.fork(i));
    total += tasks.back().tried.size() * options.strategies.size();
  }
  std::atomic<std::size_t> done{0};
  const auto done_one = [&] {
    const std::size_t now = ++done;
    if (options.progress) options.progress(now, total);
  };
  std::vector<ScheduleScore> scores, totals;
  for (const auto& run : options.strategies) {
    std::vector<PlanOutcome> pooled;
    ScheduleScore all;
    for (const auto& task : tasks) {
      const Stopwatch watch;
      const bool learns = schedule::find_plan_strategy(run.strategy).learns_front;
      auto outcomes = learns ? search_each_rate(task, run, options, done_one)
                             : search_each(task, run, options, done_one);
      ScheduleScore score = score_of(outcomes);
      score.training = task.training;
      score.inference = task.inference;
      score.strategy = run.strategy;
      score.profiles = run.profiles;
      score.problems = task.problems.size();
      score.solvable = task.solvable;
      score.seconds = watch.s();
      all.problems += score.problems;
      all.solvable += score.solvable;
      all.seconds += score.seconds;
      pooled.insert(pooled.end(), outcomes.begin(), outcomes.end());
      scores.push_back(std::move(score));
    }
    ScheduleScore pooled_score = score_of(pooled);
    pooled_score.training = pooled_score.inference = "all";
    pooled_score.strategy = run.strategy;
    pooled_score.profiles = run.profiles;
    pooled_score.problems = all.problems;
    pooled_score.solvable = all.solvable;
    pooled_score.seconds = all.seconds;
    totals.push_back(std::move(pooled_score));
  }
  scores.insert(scores.end(), totals.begin(), totals.end());
  return scores;
}

std::vector<PowerMode> common_modes(const std::vector<Sweep>& sweeps) {
  std::map<PowerMode, std::size_t> count;
  for (const auto& sweep : sweeps) {
    const KnobSpace space = sweep.space();
    for (const auto& mode : space.modes()) ++count[mode];
  }
  std::vector<PowerMode> result;
  for (const auto& [mode, times] : count) {
    if (times == sweeps.size()) result.push_back(mode);
  }
  return result;
}

Sweep at_modes(const Sweep& sweep, const std::vector<PowerMode>& modes) {
  const std::set<PowerMode> wanted(modes.begin(), modes.end());
  Sweep result = sweep.without_rows();
  for (std::size_t i = 0; i < sweep.observations.size(); ++i) {
    if (!wanted.contains(sweep.observations[i].point.mode)) continue;
    result.observations.push_back(sweep.observations[i]);
    result.lines.push_back(sweep.lines[i]);
  }
  return result;
}

}  // namespace ridgewatt::evaluate
