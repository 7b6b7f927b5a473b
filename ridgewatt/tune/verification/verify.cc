#include "ridgewatt/tune/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/tune/async_profiler.h"

namespace ridgewatt::tune {
namespace {

constexpr char kReferenceReason[] = "reference for the slowdown limit";
// Share of the objective; a smaller gain does not justify a profile.
constexpr double kWorthless = 1e-4;

// Midpoints of equally likely intervals of a standard normal variable.
constexpr std::size_t kOutcomes = 33;
const std::array<double, kOutcomes>& normal_midpoints() {
  static const auto points = [] {
    std::array<double, kOutcomes> made{};
    for (std::size_t i = 0; i < kOutcomes; ++i) {
      made[i] = normal_quantile((static_cast<double>(i) + 0.5) / kOutcomes);
    }
    return made;
  }();
  return points;
}

std::array<double, kOutcomes> outcomes(const TwinDoubt::LogNormal& belief) {
  std::array<double, kOutcomes> values{};
  for (std::size_t i = 0; i < kOutcomes; ++i) {
    values[i] = std::exp(belief.mean + belief.sd * normal_midpoints()[i]);
  }
  return values;
}

// Expected gain over `best` of a point. An outcome counts only if it is within the bounds.
double expected_gain(const Goal& goal, const OperatingPoint& point,
                     const TwinDoubt::Outcome& outcome, double best) {
  const Bounds bounds = bounds_at(goal, point.batch);
  const auto powers = outcomes(outcome.power);
  double sum = 0;
  for (const double time_s : outcomes(outcome.time)) {
    if (time_s > bounds.time_s) break;
    for (const double power_w : powers) {
      if (power_w > bounds.power_w || time_s * power_w > bounds.energy_j) break;
      sum += std::max(best - objective_value(goal, point, time_s, power_w), 0.0);
    }
  }
  return sum / (kOutcomes * kOutcomes);
}

// The profiler if there is no point to verify.
class NoProfiler : public Profiler {
 public:
  Observation profile(const OperatingPoint&) override {
    throw NotFoundError("there is no operating point to profile for the verification", "",
                        "give more modes or batches");
  }
  Provenance provenance() const override { return Provenance::kMeasured; }
};

StrategyOptions named_verify(StrategyOptions options) {
  options.strategy = "verify";
  return options;
}

Observation as_seen(const OperatingPoint& point, const twin::TimePower& cost) {
  return {point, cost.time_s, cost.power_w};
}

void learn_all(const Search& search, std::size_t& learned, TwinDoubt& doubt) {
  for (; learned < search.seen().size(); ++learned) {
    doubt.learn(search.points_seen()[learned], search.seen()[learned]);
  }
}

bool waits_for_reference(const Goal& goal) {
  return goal.needs_reference() && goal.reference_time_s <= 0;
}

// Describes the gain over the best point so far. Before any point meets the limits, there is no
// gain to report.
std::string gain_text(double gain, bool over_best) {
  return over_best ? fmt::format("expected gain {:.2g} %", 100 * gain)
                   : "likely to meet the limits";
}

}  // namespace

std::vector<OperatingPoint> verifiable_points(const Goal& goal, const SearchSpace& all,
                                              const TwinView& view,
                                              std::span<const Observation> known,
                                              std::size_t most) {
  const auto modelled = view.modelled(view.twin, all.points());
  const std::size_t top = all.top();
  Goal judged = goal;
  if (waits_for_reference(judged)) {
    judged.reference_time_s = modelled[top].time_s / std::max(all[top].batch, 1);
  }
  // A relative excess over a limit weighs three times as much as the same excess of the objective.
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Observation seen = as_seen(all[i], modelled[i]);
    const double excess = std::max(judge(judged, seen).excess, 0.0);
    order.emplace_back(std::log(objective_value(judged, seen)) + 3 * std::log1p(excess), i);
  }
  std::sort(order.begin(), order.end());
  order.resize(std::min(order.size(), most));
  std::vector<OperatingPoint> points = {all[top]};
  for (const auto& [score, i] : order) {
    if (i != top) points.push_back(all[i]);
  }
  for (const auto& seen : known) {
    if (all.find(seen.point)) points.push_back(seen.point);
  }
  return points;
}

Verification::Verification(const Goal& goal, const SearchSpace& all, const TwinView& view,
                           StrategyOptions options)
    : goal_(goal),
      options_(named_verify(std::move(options))),
      space_(verifiable_points(goal, all, view, options_.known, kMostPoints)),
      doubt_(space_.points(), view, options_.noise) {
  options_.budget.check();
  goal_.check();
}

std::optional<Verification::Promise> Verification::most_promising(
    const Search& search, const Goal& goal, const TwinDoubt& doubt,
    std::optional<double> best_objective) const {
  double best = best_objective.value_or(0);
  if (!best_objective) {  // no point meets the limits yet: any that does is a gain
    for (std::size_t i = 0; i < space_.size(); ++i) {
      const auto [time, power] = doubt.at(i);
      best = std::max(best,
                      objective_value(goal, space_[i], std::exp(time.mean), std::exp(power.mean)));
    }
  }
  std::optional<Promise> most;
  for (std::size_t i = 0; i < space_.size(); ++i) {
    if (!search.untried(i)) continue;
    const double gain = expected_gain(goal, space_[i], doubt.at(i), best) / best;
    if (!most || gain > most->gain) most = Promise{i, gain};
  }
  if (most && most->gain <= std::max(options_.min_gain, kWorthless)) most.reset();
  return most;
}

SearchSummary Verification::search(Profiler& profiler) {
  OneAtATime board(profiler);
  Search search(space_, goal_, board, options_);
  if (waits_for_reference(search.goal())) search.profile(space_.top(), kReferenceReason);
  TwinDoubt doubt = doubt_;
  std::size_t learned = 0;
  while (search.profiles_left() > 0 && !waits_for_reference(search.goal())) {
    learn_all(search, learned, doubt);
    std::optional<double> best;
    if (const auto seen = search.best()) best = objective_value(search.goal(), *seen);
    const auto promise = most_promising(search, search.goal(), doubt, best);
    if (!promise) {
      search.stop_because(StopReason::kNoGain);
      break;
    }
    search.profile(promise->point, gain_text(promise->gain, best.has_value()));
  }
  return search.finish(search.best());
}

std::vector<Verification::Step> Verification::next() const {
  NoProfiler nothing;
  OneAtATime none(nothing);
  const Search search(space_, goal_, none, options_);
  std::vector<Step> steps;
  const auto spent = static_cast<int>(search.seen().size());
  if (spent >= options_.budget.profiles) return steps;
  Goal goal = search.goal();
  TwinDoubt doubt = doubt_;
  std::size_t learned = 0;
  learn_all(search, learned, doubt);
  std::optional<double> best;
  if (const auto seen = search.best()) best = objective_value(goal, *seen);
  if (waits_for_reference(goal)) {
    const std::size_t top = space_.top();
    steps.push_back({space_[top], kReferenceReason});
    if (spent + 1 >= options_.budget.profiles) return steps;
    const Observation expected = as_seen(space_[top], doubt.modelled(top));
    goal.reference_time_s = expected.time_s / std::max(expected.point.batch, 1);
    doubt.learn(top, expected);
    if (judge(goal, expected).excess <= 0) best = objective_value(goal, expected);
  }
  if (const auto promise = most_promising(search, goal, doubt, best)) {
    if (steps.empty() || !(space_[promise->point] == steps.front().point)) {
      steps.push_back({space_[promise->point], gain_text(promise->gain, best.has_value())});
    }
  }
  return steps;
}

std::optional<Observation> Verification::best_known() const {
  NoProfiler nothing;
  OneAtATime none(nothing);
  return Search(space_, goal_, none, options_).best();
}

Goal Verification::goal() const {
  NoProfiler nothing;
  OneAtATime none(nothing);
  return Search(space_, goal_, none, options_).goal();
}

}  // namespace ridgewatt::tune
