// Profiler that replays a sweep: it looks up the row of a point. Noise can be added, to test a
// search with less accurate measurements.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "ridgewatt/base/random.h"
#include "ridgewatt/sweep/profiler.h"
#include "ridgewatt/sweep/sweep.h"

namespace ridgewatt {

// Simulated measurement noise. Time and power are each multiplied by exp(relative x normal) and,
// with the probability `outlier_share`, by a factor from [1.3, 2] or its inverse.
struct ReplayNoise {
  double relative = 0;
  double outlier_share = 0;
  std::uint64_t seed = 1;
};

class ReplayProfiler : public Profiler {
 public:
  // If the sweep contains a point several times, the first row is used.
  explicit ReplayProfiler(const Sweep& sweep);
  // Returns a profiler of the same rows with noise. Copies share the rows and are cheap.
  ReplayProfiler with_noise(const ReplayNoise& noise) const;
  // Throws NotFoundError if the sweep does not contain the point.
  Observation profile(const OperatingPoint& point) override;
  // kReplayed, or the provenance of the sweep if its rows are not from a real board (fake,
  // modelled, ...).
  Provenance provenance() const override { return provenance_; }

 private:
  std::string source_;
  Provenance provenance_;
  std::shared_ptr<const std::vector<Observation>> rows_;  // sorted by point
  ReplayNoise noise_;
  Random random_;
};

}  // namespace ridgewatt
