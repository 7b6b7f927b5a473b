#include "ridgewatt/evaluate/schedule_scores.h"

#include <algorithm>
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
  double loss = 0;  // losses and rates are set only if the optimum trains
  double throughput_hz = 0, optimum_hz = 0;
  bool trains = false;
  double profiles = 0;

  std::vector<double> values() const {
    return {solved ? 1.0 : 0.0, loss, throughput_hz, optimum_hz, trains ? 1.0 : 0.0, profiles};
  }
};

PlanOutcome outcome_from(const std::vector<double>& values) {
  if (values.size() != 6) throw InputError("an outcome of a schedule must have six numbers");
  return {values[0] != 0, values[1], values[2], values[3], values[4] != 0, values[5]};
}

// A pair with its problems, their optima, and the sample of problems on which strategies are
// tested.
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

PlanOutcome search_one(const PairTask& task, const PlanStrategyRun& run, std::uint64_t seed,
                       std::size_t problem) {
  schedule::PlanSearch search(task.space, task.problems[problem], schedule::replay(task.space),
                              search_options(run, seed + problem));
  const auto summary = search.run();
  return outcome_of(summary.plan, *task.optima[problem], summary.profiled.size());
}

// Options for fronts over the whole range of latency bounds.
schedule::PlanSearchOptions front_options(const PlanStrategyRun& run,
                                          const ScheduleEvaluationOptions& options,
                                          std::size_t rate) {
  schedule::PlanSearchOptions result = search_options(run, options.seed + rate);
  const double least = options.grid.least_latency_s / options.grid.most_latency_s;
  result.front_latency_shares = {1.0, 0.5 * (1 + least), least, 0.25 + 0.75 * least};
  return result;
}

// The knowledge of one search that answers many problems: the profiled points, and for `nn` the
// predictions of the networks. The last profile verifies the plan that the networks predict to be
// best.
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

// Runs a search at a rate, with the loosest latency bound and no other limits.
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

// A search and the problems that it answers.
struct RateGroup {
  double rate_hz = 0;  // the highest rate of the problems
  std::vector<std::size_t> problems;
};

// Groups of problems with one search each. `als` searches again for every rate. The result of `nn`
// does not depend on the rate, so three draws of its points are enough.
std::vector<RateGroup> rate_groups(const PairTask& task, const PlanStrategyRun& run) {
  constexpr std::size_t kDraws = 3;
  std::map<double, std::vector<std::size_t>> by_rate;
  for (const std::size_t problem : task.tried) {
    by_rate[task.problems[problem].arrival_rate_hz].push_back(problem);
  }
  std::vector<RateGroup> groups(run.strategy == "nn" ? std::min(kDraws, by_rate.size())
                                                     : by_rate.size());
  std::size_t next = 0;
  for (const auto& [rate_hz, tried] : by_rate) {
    RateGroup& group = groups[next++ % groups.size()];
    group.rate_hz = rate_hz;
    group.problems.insert(group.problems.end(), tried.begin(), tried.end());
  }
  return groups;
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
    throw UsageError("a range of the grid of problems is empty or has 100000 steps or more");
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

namespace {

class ScheduleQuestion : public Question {
 public:
  ScheduleQuestion(const std::vector<PairOfSweeps>& pairs, ScheduleEvaluationOptions options)
      : options_(std::move(options)) {
    if (pairs.empty())
      throw UsageError("the sweeps form no pair of a training and an inference workload");
    const Random random(options_.seed);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      tasks_.emplace_back(pairs[i], options_, random.fork(i));
    }
    for (std::size_t run = 0; run < options_.strategies.size(); ++run) {
      for (std::size_t task = 0; task < tasks_.size(); ++task) add_group(run, task);
    }
  }

  const std::vector<OutcomeGroup>& groups() const override { return groups_; }
  std::size_t units() const override { return units_.size(); }

  void work(const std::vector<std::size_t>& wanted, int threads,
            const std::function<void(UnitOutcomes)>& give) const override {
    parallel_for(
        wanted.size(), [&](std::size_t i) { give(outcomes_of_unit(wanted[i])); }, threads);
  }

 private:
  struct Unit {
    std::size_t group = 0, run = 0, task = 0;
    bool learns = false;
    std::size_t index = 0;  // index of the search in its group
    RateGroup asked;        // a single problem if the strategy does not learn fronts
  };

  void add_group(std::size_t run, std::size_t task) {
    const PlanStrategyRun& strategy = options_.strategies[run];
    const bool learns = schedule::find_plan_strategy(strategy.strategy).learns_front;
    const std::size_t group = groups_.size();
    std::vector<RateGroup> searches;
    if (learns) {
      searches = rate_groups(tasks_[task], strategy);
    } else {
      for (const std::size_t problem : tasks_[task].tried) searches.push_back({0, {problem}});
    }
    for (std::size_t i = 0; i < searches.size(); ++i) {
      units_.push_back({group, run, task, learns, i, std::move(searches[i])});
    }
    Json names;
    names["run"] = run;
    names["strategy"] = strategy.strategy;
    names["profiles"] = strategy.profiles;
    names["training"] = tasks_[task].training;
    names["inference"] = tasks_[task].inference;
    names["problems"] = tasks_[task].problems.size();
    names["solvable"] = tasks_[task].solvable;
    groups_.push_back({std::move(names), tasks_[task].tried.size()});
  }

  UnitOutcomes outcomes_of_unit(std::size_t number) const {
    const Stopwatch watch;
    const Unit& unit = units_[number];
    const PairTask& task = tasks_[unit.task];
    const PlanStrategyRun& run = options_.strategies[unit.run];
    UnitOutcomes result{number, {}, 0};
    const auto add = [&](std::size_t problem, const PlanOutcome& outcome) {
      result.outcomes.push_back({unit.group, problem, outcome.values()});
    };
    if (unit.learns) {
      const Learned learned = learn(task, run, unit.asked.rate_hz, unit.index, options_);
      for (const std::size_t problem : unit.asked.problems) {
        add(problem, outcome_of(learned.answer(task.space, task.problems[problem]),
                                *task.optima[problem], learned.profiles));
      }
    } else {
      for (const std::size_t problem : unit.asked.problems) {
        add(problem, search_one(task, run, options_.seed, problem));
      }
    }
    result.seconds = watch.s();
    return result;
  }

  ScheduleEvaluationOptions options_;
  std::vector<PairTask> tasks_;
  std::vector<OutcomeGroup> groups_;
  std::vector<Unit> units_;
};

ScheduleScore scored(const std::vector<std::vector<double>>& values) {
  std::vector<PlanOutcome> outcomes;
  outcomes.reserve(values.size());
  for (const auto& one : values) outcomes.push_back(outcome_from(one));
  return score_of(outcomes);
}

}  // namespace

std::unique_ptr<Question> schedule_question(const std::vector<PairOfSweeps>& pairs,
                                            const ScheduleEvaluationOptions& options) {
  return std::make_unique<ScheduleQuestion>(pairs, options);
}

std::vector<ScheduleScore> schedule_scores(const std::vector<OutcomeGroup>& groups,
                                           const Outcomes& outcomes) {
  std::vector<ScheduleScore> scores, totals;
  std::vector<std::vector<double>> pooled;
  ScheduleScore all;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const Json& names = groups[g].names;
    const auto& values = outcomes.values[g];
    ScheduleScore score = scored(values);
    score.training = names.at("training").get<std::string>();
    score.inference = names.at("inference").get<std::string>();
    score.strategy = names.at("strategy").get<std::string>();
    score.profiles = names.at("profiles").get<int>();
    score.problems = names.at("problems").get<std::size_t>();
    score.solvable = names.at("solvable").get<std::size_t>();
    score.seconds = outcomes.seconds[g];
    all.problems += score.problems;
    all.solvable += score.solvable;
    all.seconds += score.seconds;
    pooled.insert(pooled.end(), values.begin(), values.end());
    scores.push_back(std::move(score));
    if (g + 1 < groups.size() && groups[g + 1].names.at("run") == names.at("run")) continue;
    ScheduleScore total = scored(pooled);
    total.training = total.inference = "all";
    total.strategy = scores.back().strategy;
    total.profiles = scores.back().profiles;
    total.problems = all.problems;
    total.solvable = all.solvable;
    total.seconds = all.seconds;
    totals.push_back(std::move(total));
    pooled.clear();
    all = {};
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
    result.add_row(sweep, i);
  }
  return result;
}

}  // namespace ridgewatt::evaluate
