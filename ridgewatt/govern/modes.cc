#include "ridgewatt/govern/modes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "ridgewatt/base/error.h"
#include "ridgewatt/govern/mix.h"

namespace ridgewatt::govern {
namespace {

std::array<double, kKnobs.size()> place_of(const PowerMode& mode) {
  std::array<double, kKnobs.size()> place{};
  for (std::size_t knob = 0; knob < kKnobs.size(); ++knob) {
    const double value = mode.get(kKnobs[knob]);
    place[knob] = value > 0 ? std::log(value) : 0;
  }
  return place;
}

double apart(const PowerMode& a, const PowerMode& b) {
  const auto here = place_of(a), there = place_of(b);
  double sum = 0;
  for (std::size_t knob = 0; knob < here.size(); ++knob) {
    sum += (here[knob] - there[knob]) * (here[knob] - there[knob]);
  }
  return sum;
}

// Adds modes of `near` to `chosen`, each the one furthest from all chosen modes (Gonzalez 1985).
void spread(const std::vector<PowerMode>& modes, const std::vector<std::size_t>& near,
            std::size_t most, std::vector<std::size_t>& chosen) {
  std::vector<double> distance(near.size(), std::numeric_limits<double>::infinity());
  const auto see = [&](std::size_t mode) {
    for (std::size_t k = 0; k < near.size(); ++k) {
      distance[k] = std::min(distance[k], apart(modes[near[k]], modes[mode]));
    }
  };
  for (const std::size_t mode : chosen) see(mode);
  while (chosen.size() < most && !near.empty()) {
    const auto far = std::max_element(distance.begin(), distance.end());
    if (!(*far > 0)) return;
    chosen.push_back(near[static_cast<std::size_t>(far - distance.begin())]);
    see(chosen.back());
  }
}

}  // namespace

std::vector<OperatingPoint> promising_modes(const KnobSpace& space, int batch,
                                            const twin::TwinModel& model,
                                            const ModeChoice& choice) {
  if (space.empty()) throw UsageError("the board has no power modes to choose from");
  const auto& modes = space.modes();
  std::vector<RatePower> costs;
  costs.reserve(modes.size() + 1);
  double rest_w = std::numeric_limits<double>::infinity();
  for (const auto& mode : modes) {
    const twin::MinibatchCost cost = model({mode, batch});
    costs.push_back({1 / cost.period_s, cost.power_w});
    rest_w = std::min(rest_w, twin::idle_power_w(model.twin(), mode));
  }
  costs.push_back({0, rest_w});
  const RateHull hull(costs);
  std::vector<std::size_t> chosen;
  for (const std::size_t corner : hull.corners()) {
    if (corner < modes.size()) chosen.push_back(corner);
  }
  std::vector<std::size_t> near;
  for (std::size_t i = 0; i < modes.size(); ++i) {
    const double least_w = hull.at_rate(costs[i].rate_hz)->power_w;
    if (costs[i].power_w <= least_w * (1 + choice.excess)) near.push_back(i);
  }
  spread(modes, near, std::max(choice.most, chosen.size()), chosen);
  std::sort(chosen.begin(), chosen.end());
  std::vector<OperatingPoint> points;
  for (const std::size_t mode : chosen) points.push_back({modes[mode], batch});
  return points;
}

tune::TwinView periods_by(const twin::Twin& twin,
                          std::shared_ptr<const workload::DeployedWorkload> workload) {
  const auto modelled = [workload = std::move(workload)](const twin::Twin& asked,
                                                         std::span<const OperatingPoint> points) {
    const twin::TwinModel model(asked, workload);
    std::vector<twin::TimePower> costs;
    costs.reserve(points.size());
    for (const auto& point : points) {
      const twin::MinibatchCost cost = model(point);
      costs.push_back({cost.period_s, cost.power_w});
    }
    return costs;
  };
  return {twin, modelled};
}

std::vector<double> idle_powers(const twin::Twin& twin, std::span<const OperatingPoint> modes) {
  std::vector<double> powers;
  powers.reserve(modes.size());
  for (const auto& point : modes) powers.push_back(twin::idle_power_w(twin, point.mode));
  return powers;
}

}  // namespace ridgewatt::govern
