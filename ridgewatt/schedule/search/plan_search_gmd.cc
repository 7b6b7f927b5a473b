// GMD: gradient descent in several dimensions, as published by Fulcrum for concurrent training and
// inference. Start with the largest batch and use one profile of the top mode to rule out a batch.
// Then follow the knobs (tune/bisection_descent.h) by the time of the workload with the higher
// power.
//
// Not published; chosen on the sweeps on which the strategy is evaluated:
// - Batches that cannot be gathered in time are ruled out by arithmetic.
// - If a mode is within the budget but too slow, the descent continues with a smaller batch.
// - Half of the budget bisects knobs. The other half follows the gradient of all profiled points:
//   times are sums of reciprocals of the knobs, powers are power laws of them.
// - In the second half, a point is ranked by its expected gain over the best plan so far, assuming
//   an error of a few percent. Without this error, the search wastes profiles at the edge of the
//   budget and on points that cannot beat the best plan.
#include <algorithm>
#include <array>
#include <cmath>

#include "ridgewatt/base/statistics.h"
#include "ridgewatt/schedule/plan_search.h"
#include "ridgewatt/tune/bisection_descent.h"
#include "ridgewatt/tune/knob_plane.h"

namespace ridgewatt::schedule {
namespace {

// Usual relative errors of the planes.
constexpr double kTimeError = 0.04;
constexpr double kPowerError = 0.05;
// Midpoints of seven equally likely intervals of the standard normal distribution.
constexpr std::array<double, 7> kNormalQuantiles = {-1.465, -0.792, -0.366, 0, 0.366, 0.792, 1.465};
constexpr double kWorthOfFeasible = 1000;  // minibatches per second

using Position = tune::SearchSpace::Position;

// Time of the workload with the higher power.
double leading_time_s(const Candidate& c) {
  return c.train().power_w >= c.infer().power_w ? c.train().time_s : c.infer().time_s;
}

// The rows of a point in the four planes.
struct PlaneRows {
  tune::KnobPlane::Row infer_time, train_time, infer_power, train_power;
  PlaneRows(const tune::SearchSpace& points, std::size_t index) {
    train_time = infer_time =
        tune::KnobPlane::row(tune::KnobPlane::Shape::kReciprocals, points, index);
    train_power = infer_power =
        tune::KnobPlane::row(tune::KnobPlane::Shape::kPowerLaw, points, index);
    const auto& batches = points.levels(tune::SearchSpace::kBatchAxis);
    const double load = batches.empty() ? 0 : points[index].batch / batches.back();
    // The launch time on the CPU does not grow with the batch; all other times do.
    for (std::size_t k = 0; k < kKnobs.size(); ++k) {
      if (kKnobs[k] != Knob::kCpuClock) infer_time[static_cast<Eigen::Index>(k) + 1] *= load;
    }
    infer_time[tune::KnobPlane::kTerms - 1] = infer_power[tune::KnobPlane::kTerms - 1] = load;
  }
};

class PlanDescent {
 public:
  explicit PlanDescent(PlanSearch& search)
      : search_(search),
        points_(search.space()),
        descent_(points_, middle(points_),
                 [this](const Position& position, std::string_view reason) {
                   return sight(look(position, reason));
                 }) {}

  // Sets the largest batch with which the top mode meets the latency bound. Returns false if there
  // is none.
  bool choose_batch() {
    if (!search_.plan_space().has_inference()) return true;
    const auto batches = points_.batches();
    Position top{};
    for (std::size_t axis = 0; axis < tune::SearchSpace::kAxes; ++axis) top[axis] = last(axis);
    for (int level = last(tune::SearchSpace::kBatchAxis); level >= 0; --level) {
      if (search_.profiles_left() <= 0) return false;
      if (!search_.batch_possible(batches[static_cast<std::size_t>(level)])) continue;
      descent_.set_batch_level(level);
      top[tune::SearchSpace::kBatchAxis] = level;
      const auto seen = look(top, "top mode: rules batches out");
      if (seen && fast_enough(*seen)) return true;
    }
    return false;
  }

  void descend() {
    if (!descent_.start("middle mode")) return;
    shrink_batch(descent_.at());
    descent_.probe_ends();
    const int half = search_.options().profiles / 2 + 1;
    while (search_.profiles_left() > half) {
      const auto step = descent_.follow_steepest();
      if (!step) return;
      if (!step->sight.over) shrink_batch(step->position);
    }
  }

  // Spends the remaining profiles where the gradient of all profiled points promises the most.
  void improve() {
    while (search_.profiles_left() > 0 && try_steepest()) {
    }
  }

 private:
  static Position middle(const tune::SearchSpace& points) {
    Position position{};
    for (const std::size_t axis : points.free_axes()) {
      if (axis != tune::SearchSpace::kBatchAxis) position[axis] = points.last_level(axis) / 2;
    }
    return position;
  }
  int last(std::size_t axis) const { return points_.last_level(axis); }
  bool over_power(const Candidate& c) const {
    return c.peak_power_w() > search_.problem().max_power_w;
  }

  std::optional<Candidate> look(const Position& position, std::string_view reason) {
    const auto index = points_.nearest(position, search_.allowed());
    return index ? search_.look(*index, reason) : std::nullopt;
  }
  std::optional<tune::BisectionDescent::Sight> sight(const std::optional<Candidate>& seen) const {
    if (!seen) return std::nullopt;
    return tune::BisectionDescent::Sight{leading_time_s(*seen), seen->peak_power_w(),
                                         over_power(*seen)};
  }

  bool fast_enough(const Candidate& candidate) const {
    PlanProblem any_power = search_.problem();
    any_power.max_power_w = std::numeric_limits<double>::infinity();
    return plan_with(candidate, any_power).feasible;
  }

  // Whether a smaller batch may be fast enough, given the result of a larger one. Assumes that the
  // time of a minibatch shrinks at most in proportion to the batch.
  bool may_fit(const Candidate& seen, int batch) const {
    Candidate smaller = seen;
    smaller.inference->batch = batch;
    smaller.inference->time_s *= static_cast<double>(batch) / seen.inference->batch;
    return fast_enough(smaller);
  }

  // If the batch of the descent is too slow for a mode, continues with a smaller batch.
  void shrink_batch(Position there) {
    constexpr const char* kReason = "smaller batch: the larger one is too slow";
    const auto batches = points_.batches();
    int level = descent_.at()[tune::SearchSpace::kBatchAxis];
    auto seen = look(there, kReason);
    while (seen && !fast_enough(*seen) && level > 0 && search_.profiles_left() > 0) {
      do {
        --level;
      } while (level > 0 && !may_fit(*seen, batches[static_cast<std::size_t>(level)]));
      descent_.set_batch_level(level);
      there[tune::SearchSpace::kBatchAxis] = level;
      if (over_power(*seen)) return;
      seen = look(there, kReason);
    }
  }

  // Predictions of the planes at every point.
  std::vector<Candidate> predict() const {
    tune::KnobPlane infer_time(tune::KnobPlane::Shape::kReciprocals),
        train_time(tune::KnobPlane::Shape::kReciprocals);
    tune::KnobPlane infer_power(tune::KnobPlane::Shape::kPowerLaw),
        train_power(tune::KnobPlane::Shape::kPowerLaw);
    for (std::size_t n = 0; n < search_.seen().size(); ++n) {
      const Candidate& seen = search_.seen()[n];
      const PlaneRows rows(points_, search_.points_seen()[n]);
      const double weight =
          tune::KnobPlane::weight(seen.peak_power_w(), search_.problem().max_power_w);
      if (seen.inference) {
        infer_time.add(rows.infer_time, seen.inference->time_s, weight);
        infer_power.add(rows.infer_power, seen.inference->power_w, weight);
      }
      if (seen.background) {
        train_time.add(rows.train_time, seen.background->time_s, weight);
        train_power.add(rows.train_power, seen.background->power_w, weight);
      }
    }
    for (tune::KnobPlane* plane : {&infer_time, &infer_power, &train_time, &train_power})
      plane->fit();
    std::vector<Candidate> guesses(points_.size());
    for (std::size_t i = 0; i < guesses.size(); ++i) {
      guesses[i] = search_.plan_space().unprofiled(i);
      const PlaneRows rows(points_, i);
      if (auto& inference = guesses[i].inference) {
        inference->time_s = infer_time.at(rows.infer_time);
        inference->power_w = infer_power.at(rows.infer_power);
      }
      if (auto& round = guesses[i].background) {
        round->time_s = round->blocking_s = train_time.at(rows.train_time);
        round->power_w = train_power.at(rows.train_power);
        round->energy_j = round->time_s * round->power_w;
      }
    }
    return guesses;
  }

  double worth(const Candidate& candidate, const Cycle& cycle) const {
    if (!search_.plan_space().has_training()) return 1 / cycle.latency_s;
    return cycle.training_throughput_hz * candidate.train().samples;
  }

  // Expected value of a predicted plan beyond `least`, given the usual errors of the planes.
  double promise(const Candidate& guess, double least) const {
    const PlanProblem& problem = search_.problem();
    const double margin = std::log(problem.max_power_w / guess.peak_power_w()) / kPowerError;
    const double within_power = normal_cdf(margin);
    double gain = 0;
    Candidate drawn = guess;
    if (drawn.inference) drawn.inference->power_w = 0;  // power was already checked above
    if (drawn.background) drawn.background->power_w = 0;
    for (const double z : kNormalQuantiles) {
      const double factor = std::exp(z * kTimeError);
      if (drawn.inference) drawn.inference->time_s = guess.inference->time_s * factor;
      if (drawn.background) {
        drawn.background->time_s = guess.background->time_s * factor;
        drawn.background->blocking_s = guess.background->blocking_s * factor;
      }
      const Cycle cycle = make_cycle(drawn, problem.arrival_rate_hz, problem.bound);
      if (violation(drawn, cycle, problem) > 0) continue;
      gain += std::max(0.0, worth(drawn, cycle) - least);
    }
    // The small addend decides between points without expected gain: most likely within the budget
    // first.
    return within_power * (gain / static_cast<double>(kNormalQuantiles.size()) + 1e-6);
  }

  bool try_steepest() {
    const auto guesses = predict();
    const auto best = search_.best();
    // Without a feasible plan, any feasible plan counts as a large gain.
    double least = -kWorthOfFeasible;
    if (best) {
      const PlanProblem& problem = search_.problem();
      least = worth(*best, make_cycle(*best, problem.arrival_rate_hz, problem.bound));
    }
    std::optional<std::size_t> next;
    double most = 0;
    for (std::size_t i = 0; i < guesses.size(); ++i) {
      if (!search_.untried(i)) continue;
      const double promised = promise(guesses[i], least);
      if (next && promised <= most) continue;
      next = i;
      most = promised;
    }
    return next && search_.profile(*next, "where the gradient points").has_value();
  }

  PlanSearch& search_;
  const tune::SearchSpace& points_;
  tune::BisectionDescent descent_;
};

}  // namespace

void plan_search_gmd(PlanSearch& search) {
  PlanDescent descent(search);
  if (!descent.choose_batch()) return;
  descent.descend();
  descent.improve();
}

}  // namespace ridgewatt::schedule
