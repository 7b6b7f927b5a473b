// Plans under a profiling budget: which operating points to profile so that a good plan is among
// them.
//
// A profile is one operating point, a power mode with an inference batch, at which both workloads
// run: the budget of 15 means 15 such points. (Fulcrum counts profiled modes; a mode that is
// visited again with another batch is a further profile here.) Every strategy answers with a point
// that it profiled and that kept every limit when it was measured.
//
//   const PlanSpace space(join_sweeps(workloads));
//   PlanSearch search(space, problem, replay(space), {.strategy = "auto"});
//   const PlanSearchSummary summary = search.run();
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/schedule/plan.h"
#include "ridgewatt/tune/budgeted_search.h"
#include "ridgewatt/tune/strategy_table.h"
#include "ridgewatt/tune/surrogate.h"

namespace ridgewatt::schedule {

// The points that may be profiled, and what is believed of them before the first profile. Share one
// between searches: it is the costly part.
class PlanSpace {
 public:
  // Throws UsageError when a background has several batches at one mode: a search has one per
  // workload (the exact answer over sweeps has no such limit).
  explicit PlanSpace(std::vector<Candidate> candidates);

  // Candidates in the order of points(). What a search may not look at before it profiled it.
  const std::vector<Candidate>& candidates() const { return candidates_; }
  const tune::SearchSpace& points() const { return *points_; }  // (mode, inference batch)
  const tune::SearchSpace& modes() const {
    return *modes_;
  }  // the modes, where training is modelled
  std::size_t mode_of(std::size_t point) const { return mode_of_[point]; }
  bool has_inference() const { return candidates_.front().inference.has_value(); }
  bool has_training() const { return candidates_.front().background.has_value(); }
  // What is known of a point before it is profiled: mode, batch, what a round is worth.
  Candidate unprofiled(std::size_t point) const;
  const tune::SurrogatePrior& infer_prior() const { return *infer_prior_; }
  const tune::SurrogatePrior& train_prior() const { return *train_prior_; }
  // Sweeps of other workloads that shape the beliefs.
  void add_reference(const Sweep& inference_or_training, bool is_inference);

 private:
  std::vector<Candidate> candidates_;
  std::shared_ptr<tune::SearchSpace> points_, modes_;
  std::vector<std::size_t> mode_of_;
  std::shared_ptr<tune::SurrogatePrior> infer_prior_, train_prior_;
};

// What `auto` looks for.
enum class PlanGoal {
  kWholeMinibatches,  // the most training in whole minibatches per cycle
  kFill,     // the most training when it fills all that inference leaves: what an executor that
             // adapts to the arrivals can use
  kCapacity  // the most requests per second within the power budget, an inference minibatch taking
             // at most half of the latency bound: what serves in an overload
};

struct PlanSearchOptions {
  std::string strategy = "auto";  // one of plan_strategy_names()
  int profiles = 15;              // at most; `exhaustive` looks at every point
  std::uint64_t seed = 1;
  double noise = 0.01;  // relative standard deviation of a measurement, for the model-based ones
  // `als`: the fronts that it learns, as shares of the problem's latency bound. More than one when
  // the observations are to answer tighter bounds later.
  std::vector<double> front_latency_shares = {1.0};
  PlanGoal goal = PlanGoal::kWholeMinibatches;  // of `auto`
  // Points profiled earlier for the same workloads: they cost nothing.
  std::vector<std::size_t> known;
};

struct PlanSearchSummary {
  std::string strategy;
  Plan plan;  // feasible: profiled and within the limits; else the nearest miss that was profiled
  std::vector<std::size_t> profiled;  // points in order
  tune::StopReason stop_reason = tune::StopReason::kNothingLeft;
};

// Profiles both workloads at a point.
using ProfilePoint = std::function<Candidate(std::size_t point)>;
// Looks the point up in the space's own candidates.
ProfilePoint replay(const PlanSpace& space);

class PlanSearch final : public tune::BudgetedSearch<Candidate> {
 public:
  // Throws UsageError on an unknown strategy or a budget below 1.
  PlanSearch(const PlanSpace& space, const PlanProblem& problem, ProfilePoint profile,
             PlanSearchOptions options);
  // With the strategy that the options name, or with any, for example one of your own.
  PlanSearchSummary run();
  PlanSearchSummary run(const tune::StrategyRow<PlanSearch>& strategy);

  // For the strategies; the points are space() of the base.
  const PlanSpace& plan_space() const { return plan_space_; }
  const PlanProblem& problem() const { return problem_; }
  const PlanSearchOptions& options() const { return options_; }
  // False when the batch cannot be gathered within the latency bound, whatever the mode; points of
  // such batches are not allowed.
  bool batch_possible(int batch) const;

 private:
  Candidate measure(std::size_t point) override { return profile_(point); }
  std::optional<double> excess(const Candidate& seen) const override;
  bool better(const Candidate& a, const Candidate& b) const override;
  void allow_possible_batches();

  const PlanSpace& plan_space_;
  PlanProblem problem_;
  ProfilePoint profile_;
  PlanSearchOptions options_;
};

// One row per strategy.
using PlanStrategy = tune::StrategyRow<PlanSearch>;
std::span<const PlanStrategy> plan_strategies();
const std::vector<std::string_view>& plan_strategy_names();
// Throws UsageError that lists the names.
const PlanStrategy& find_plan_strategy(std::string_view name);

// What the surrogates believe of both workloads at every point.
class PlanBeliefs {
 public:
  explicit PlanBeliefs(const PlanSearch& search);
  void update(const PlanSearch& search);  // learns what was profiled since, and predicts
  // One draw of the candidate at `point`: `z` are standard normal numbers for inference time and
  // power, training time and power.
  void draw(const PlanSpace& space, std::size_t point, const double z[4], Candidate& out) const;
  double uncertainty(const PlanSpace& space, std::size_t point) const;

 private:
  std::optional<tune::Surrogate> infer_, train_;
  tune::Beliefs infer_beliefs_, train_beliefs_;
  std::size_t learned_ = 0;
  std::vector<char> mode_learned_;
};

// What neural networks, the predictor `nn` on what the search has profiled, predict of every point.
// Throws UsageError when nothing was profiled.
std::vector<Candidate> predict_with_networks(const PlanSearch& search);

// The strategies of the table.
void plan_search_exhaustive(PlanSearch& search);
void plan_search_auto(PlanSearch& search);
void plan_search_als(PlanSearch& search);
void plan_search_gmd(PlanSearch& search);
void plan_search_nn(PlanSearch& search);
void plan_search_random(PlanSearch& search);
void plan_search_maxn(PlanSearch& search);

}  // namespace ridgewatt::schedule
