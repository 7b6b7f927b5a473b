// GMD: gradient descent in several dimensions, as published by Fulcrum (tune/bisection_descent.h).
// Not published, chosen here: the objective takes the place of time. A broken limit other than
// power or energy counts as "too slow". Two fifths of the budget follow the gradient of all
// profiled points.
#include <algorithm>

#include "ridgewatt/tune/bisection_descent.h"
#include "ridgewatt/tune/knob_plane.h"
#include "ridgewatt/tune/strategy.h"

namespace ridgewatt::tune {
namespace {

// The descent at one batch.
class GmdSearch {
 public:
  GmdSearch(Search& search, int batch_level)
      : search_(search), space_(search.space()), batch_level_(batch_level) {}

  void run() {
    SearchSpace::Position middle{};
    for (std::size_t axis = 0; axis < SearchSpace::kAxes; ++axis) {
      middle[axis] = space_.last_level(axis) / 2;
    }
    middle[SearchSpace::kBatchAxis] = batch_level_;
    const int keep = search_.profiles_left() * 2 / 5;  // profiles reserved for the gradient
    BisectionDescent descent(space_, middle, [&](const auto& position, std::string_view reason) {
      return look(position, reason);
    });
    if (!descent.start("middle mode")) return;
    descent.probe_ends();
    while (search_.profiles_left() > keep && descent.follow_steepest()) {
    }
    while (search_.profiles_left() > 0 && search_.best() && try_gradient()) {
    }
  }

 private:
  std::optional<BisectionDescent::Sight> look(const SearchSpace::Position& position,
                                              std::string_view reason) {
    const auto seen = search_.look(*space_.nearest(position), reason);
    if (!seen) return std::nullopt;
    const Verdict verdict = judge(search_.goal(), *seen);
    const bool over = verdict.feasibility == Feasibility::kInfeasible &&
                      (verdict.limit == LimitKind::kPower || verdict.limit == LimitKind::kEnergy);
    return BisectionDescent::Sight{objective_value(search_.goal(), *seen), seen->power_w, over};
  }
  int batch_of(std::size_t index) const { return space_.position(index)[SearchSpace::kBatchAxis]; }

  // Profiles the untried mode, at the batch of this descent, that is best by the gradient of all
  // profiled points. Points that break a limit rank last, by how far they exceed it.
  bool try_gradient() {
    KnobPlane time(KnobPlane::Shape::kReciprocals), power(KnobPlane::Shape::kShares);
    const auto time_row = [&](std::size_t i) {
      return KnobPlane::row(KnobPlane::Shape::kReciprocals, space_, i);
    };
    const auto power_row = [&](std::size_t i) {
      return KnobPlane::row(KnobPlane::Shape::kShares, space_, i);
    };
    const double budget_w = search_.goal().limits.power_w;
    for (std::size_t n = 0; n < search_.seen().size(); ++n) {
      const Observation& seen = search_.seen()[n];
      const std::size_t index = search_.points_seen()[n];
      if (batch_of(index) != batch_level_) continue;
      const double weight = KnobPlane::weight(seen.power_w, budget_w);
      time.add(time_row(index), seen.time_s, weight);
      power.add(power_row(index), seen.power_w, weight);
    }
    time.fit();
    power.fit();
    std::optional<std::size_t> next;
    double least_excess = 0, least_value = 0;
    for (std::size_t i = 0; i < space_.size(); ++i) {
      if (!search_.untried(i) || batch_of(i) != batch_level_) continue;
      const Observation guess{space_[i], time.at(time_row(i)), power.at(power_row(i))};
      const double excess = std::max(0.0, judge(search_.goal(), guess).excess);
      const double value = objective_value(search_.goal(), guess);
      if (next && std::pair(excess, value) >= std::pair(least_excess, least_value)) continue;
      next = i, least_excess = excess, least_value = value;
    }
    return next && search_.profile(*next, "where the gradient points").has_value();
  }

  Search& search_;
  const SearchSpace& space_;
  int batch_level_;
};

}  // namespace

void search_gmd(Search& search) {
  // Batch is one more dimension: start with the smallest, and go larger while there is no answer.
  const int last = search.space().last_level(SearchSpace::kBatchAxis);
  for (int level = 0; level <= last && search.profiles_left() > 0; ++level) {
    GmdSearch(search, level).run();
    if (search.best()) return;
  }
}

}  // namespace ridgewatt::tune
