#include "ridgewatt/sweep/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/sort.h"

namespace ridgewatt {

ReplayProfiler::ReplayProfiler(const Sweep& sweep)
    : source_(sweep.source),
      provenance_(derived_provenance(sweep.provenance, Provenance::kReplayed)),
      random_(1) {
  auto rows = sweep.observations;
  sort_stably(rows, [](const auto& a, const auto& b) { return a.point < b.point; });
  rows_ = std::make_shared<const std::vector<Observation>>(std::move(rows));
}

ReplayProfiler ReplayProfiler::with_noise(const ReplayNoise& noise) const {
  ReplayProfiler noisy = *this;
  noisy.noise_ = noise;
  noisy.random_ = Random(noise.seed);
  return noisy;
}

Observation ReplayProfiler::profile(const OperatingPoint& point) {
  const auto found = std::lower_bound(
      rows_->begin(), rows_->end(), point,
      [](const Observation& row, const auto& wanted) { return row.point < wanted; });
  if (found == rows_->end() || found->point != point) {
    throw NotFoundError(
        fmt::format("the sweep has no row of {} at batch {}", describe(point.mode), point.batch),
        source_, "give a point of the sweep, or another sweep");
  }
  Observation seen = *found;
  if (noise_.relative <= 0 && noise_.outlier_share <= 0) return seen;
  const double product_j = seen.time_s * seen.power_w;
  for (double* value : {&seen.time_s, &seen.power_w}) {
    *value *= std::exp(noise_.relative * random_.normal());
    if (random_.uniform() >= noise_.outlier_share) continue;
    const double factor = random_.uniform(1.3, 2);
    *value *= random_.uniform() < 0.5 ? factor : 1 / factor;
  }
  if (seen.measured_energy_j) *seen.measured_energy_j *= seen.time_s * seen.power_w / product_j;
  return seen;
}

}  // namespace ridgewatt
