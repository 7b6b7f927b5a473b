// Divides the suite of search strategies (strategy_suite.h) into units with outcomes.
#include <algorithm>

#include "ridgewatt/base/clock.h"
#include "ridgewatt/base/parallel.h"
#include "ridgewatt/evaluate/strategy_suite.h"

namespace ridgewatt::evaluate {
namespace {

class StrategyQuestion : public Question {
 public:
  StrategyQuestion(std::vector<SuiteEntry> suite, const StrategyEvaluationOptions& options)
      : suite_(std::move(suite)), options_(options) {
    for (const auto& entry : suite_) {
      const ScenarioSearches searches(entry.scenario);
      for (const auto& run : entry.runs) {
        blocks_.push_back({units_, searches.searches(run, options.seeds)});
        units_ += blocks_.back().count;
        Json names;
        names["scenario"] = entry.scenario.name;
        names["workload"] = entry.scenario.workload;
        names["strategy"] = run.strategy;
        names["profiles"] = run.profiles;
        if (run.boards > 0) names["boards"] = run.boards;
        names["seeds"] = options.seeds;
        groups_.push_back(
            {std::move(names), searches.problems() * static_cast<std::size_t>(options.seeds)});
      }
    }
  }

  const std::vector<OutcomeGroup>& groups() const override { return groups_; }
  std::size_t units() const override { return units_; }

  void work(const std::vector<std::size_t>& wanted, int threads,
            const std::function<void(UnitOutcomes)>& give) const override {
    std::size_t group = 0;
    auto next = wanted.begin();
    for (const auto& entry : suite_) {
      const std::size_t first_group = group;
      group += entry.runs.size();
      if (group == first_group) continue;
      const std::size_t end = blocks_[group - 1].first + blocks_[group - 1].count;
      const auto last = std::lower_bound(next, wanted.end(), end);
      if (next != last) work_on_entry(entry, first_group, {next, last}, threads, give);
      next = last;
    }
  }

 private:
  // The units of one strategy in one scenario.
  struct Block {
    std::size_t first = 0, count = 0;
  };

  void work_on_entry(const SuiteEntry& entry, std::size_t first_group,
                     const std::vector<std::size_t>& wanted, int threads,
                     const std::function<void(UnitOutcomes)>& give) const {
    const ScenarioSearches searches(entry.scenario);
    const auto prior = make_prior(entry.scenario);
    StrategyEvaluationOptions options = options_;
    options.noise = entry.noise;
    options.outlier_share = entry.outlier_share;
    parallel_for(
        wanted.size(),
        [&](std::size_t i) {
          const Stopwatch watch;
          std::size_t run = 0;
          while (wanted[i] >= blocks_[first_group + run].first + blocks_[first_group + run].count) {
            ++run;
          }
          const std::size_t group = first_group + run;
          auto outcomes =
              searches.search(entry.runs[run], options, prior, wanted[i] - blocks_[group].first);
          for (auto& outcome : outcomes) outcome.group = group;
          give({wanted[i], std::move(outcomes), watch.s()});
        },
        threads);
  }

  std::vector<SuiteEntry> suite_;
  StrategyEvaluationOptions options_;
  std::vector<OutcomeGroup> groups_;
  std::vector<Block> blocks_;  // by group
  std::size_t units_ = 0;
};

}  // namespace

std::unique_ptr<Question> strategy_question(std::vector<SuiteEntry> suite,
                                            const StrategyEvaluationOptions& options) {
  return std::make_unique<StrategyQuestion>(std::move(suite), options);
}

std::vector<StrategyScore> strategy_scores(const std::vector<OutcomeGroup>& groups,
                                           const Outcomes& outcomes) {
  std::vector<StrategyScore> scores;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const Json& names = groups[g].names;
    scores.push_back(score_outcomes(outcomes.values[g], names.at("seeds").get<std::size_t>()));
    scores.back().scenario = names.at("scenario").get<std::string>();
    scores.back().workload = names.at("workload").get<std::string>();
    scores.back().strategy = names.at("strategy").get<std::string>();
    scores.back().profiles = names.at("profiles").get<int>();
    scores.back().boards = names.value("boards", 0);
  }
  return scores;
}

}  // namespace ridgewatt::evaluate
