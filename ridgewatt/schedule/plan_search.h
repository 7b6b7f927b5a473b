// Searches for a plan with a limited number of profiles.
//
// A profile measures both workloads at one operating point (a power mode and an inference batch). A
// budget of 15 means 15 such points. (Fulcrum counts profiled modes; here, the same mode with
// another batch is another profile.) Every strategy answers with a profiled point that met all
// limits when it was measured.
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

// The points that may be profiled, and the prior of their times and powers. Creating this object is
// expensive, so share it between searches.
class PlanSpace {
 public:
  // Throws UsageError if a background workload has several batches in one mode. (The exact
  // PlanTable has no such limit.)
  explicit PlanSpace(std::vector<Candidate> candidates);

  // Candidates in the order of points(). A search must not read a candidate before it has profiled
  // the point.
  const std::vector<Candidate>& candidates() const { return candidates_; }
  const tune::SearchSpace& points() const { return *points_; }  // mode and inference batch
  // The modes of points(). Training is predicted per mode.
  const tune::SearchSpace& modes() const { return *modes_; }
  std::size_t mode_of(std::size_t point) const { return mode_of_[point]; }
  bool has_inference() const { return candidates_.front().inference.has_value(); }
  bool has_training() const { return candidates_.front().background.has_value(); }
  // Returns the data of a point that are known before its profile: mode, batch, samples and
  // required rate of a round.
  Candidate unprofiled(std::size_t point) const;
  const tune::SurrogatePrior& infer_prior() const { return *infer_prior_; }
  const tune::SurrogatePrior& train_prior() const { return *train_prior_; }
  // Adds the sweep of another workload as a reference to the prior of inference or of training.
  void add_reference(const Sweep& inference_or_training, bool is_inference);

 private:
  std::vector<Candidate> candidates_;
  std::shared_ptr<tune::SearchSpace> points_, modes_;
  std::vector<std::size_t> mode_of_;
  std::shared_ptr<tune::SurrogatePrior> infer_prior_, train_prior_;
};

// Objective of `auto`.
enum class PlanGoal {
  kWholeMinibatches,  // the most training in whole minibatches per cycle
  // The most training in all time that inference does not use, for an executor that adapts to
  // arrivals.
  kFill,
  // The highest request rate within the power budget, with inference minibatches of at most half
  // the latency bound: the best plan in an overload.
  kCapacity
};

struct PlanSearchOptions {
  std::string strategy = "auto";  // one of plan_strategy_names()
  int profiles = 15;              // maximum number; `exhaustive` profiles every point
  std::uint64_t seed = 1;
  double noise = 0.01;  // relative standard deviation of a measurement, for model-based strategies
  // For `als`: the latency bounds of the fronts that it learns, as shares of the problem's bound.
  // Give more than one if the observations will also be used for tighter bounds.
  std::vector<double> front_latency_shares = {1.0};
  PlanGoal goal = PlanGoal::kWholeMinibatches;  // for `auto`
  // Points profiled earlier for the same workloads. They do not count in the budget, although the
  // search calls `profile` for them.
  std::vector<std::size_t> known;
};

struct PlanSearchSummary {
  std::string strategy;
  // If feasible: a profiled point within the limits. Otherwise the nearest profiled miss.
  Plan plan;
  std::vector<std::size_t> profiled;  // points in the order of their profiles
  tune::StopReason stop_reason = tune::StopReason::kNothingLeft;
};

// Profiles both workloads at a point.
using ProfilePoint = std::function<Candidate(std::size_t point)>;
// Returns a function that looks up the point in the candidates of `space`, which must outlive it.
ProfilePoint replay(const PlanSpace& space);

class PlanSearch final : public tune::BudgetedSearch<Candidate> {
 public:
  // References must outlive the search. Throws UsageError for an unknown strategy or a budget below
  // 1.
  PlanSearch(const PlanSpace& space, const PlanProblem& problem, ProfilePoint profile,
             PlanSearchOptions options);
  // Runs the strategy named in the options, or the given strategy, for example your own.
  PlanSearchSummary run();
  PlanSearchSummary run(const tune::StrategyRow<PlanSearch>& strategy);

  // For strategies. The inherited space() has the points.
  const PlanSpace& plan_space() const { return plan_space_; }
  const PlanProblem& problem() const { return problem_; }
  const PlanSearchOptions& options() const { return options_; }
  // False if the batch cannot be collected within the latency bound in any mode. Such points are
  // not allowed.
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
// Throws UsageError that lists all names.
const PlanStrategy& find_plan_strategy(std::string_view name);

// Predictions of both workloads at every point by surrogates (tune/surrogate.h).
class PlanBeliefs {
 public:
  explicit PlanBeliefs(const PlanSearch& search);
  void update(const PlanSearch& search);  // adds the new profiles and predicts
  // Draws the candidate at `point` into `out`. `z` holds standard normal numbers for inference
  // time, inference power, training time and training power.
  void draw(const PlanSpace& space, std::size_t point, const double z[4], Candidate& out) const;
  double uncertainty(const PlanSpace& space, std::size_t point) const;

 private:
  std::optional<tune::Surrogate> infer_, train_;
  tune::Beliefs infer_beliefs_, train_beliefs_;
  std::size_t learned_ = 0;
  std::vector<char> mode_learned_;
};

// Predicts every point by neural networks (the predictor `nn`), trained on the profiles of the
// search. Throws UsageError if nothing was profiled.
std::vector<Candidate> predict_with_networks(const PlanSearch& search);

// The built-in strategies.
void plan_search_exhaustive(PlanSearch& search);
void plan_search_auto(PlanSearch& search);
void plan_search_als(PlanSearch& search);
void plan_search_gmd(PlanSearch& search);
void plan_search_nn(PlanSearch& search);
void plan_search_random(PlanSearch& search);
void plan_search_maxn(PlanSearch& search);

}  // namespace ridgewatt::schedule
