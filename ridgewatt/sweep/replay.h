// A sweep that plays the board: profiling a point looks up what was measured there. Noise can be
// added, so that a search is tried under worse conditions than the sweep was measured in.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "ridgewatt/base/random.h"
#include "ridgewatt/sweep/profiler.h"
#include "ridgewatt/sweep/sweep.h"

namespace ridgewatt {

// Noise of a measurement: each of time and power is multiplied by exp(relative x normal), and with
// probability `outlier_share` also by a factor drawn from [1.3, 2] or its inverse.
struct ReplayNoise {
  double relative = 0;
  double outlier_share = 0;
  std::uint64_t seed = 1;
};

class ReplayProfiler : public Profiler {
 public:
  // A point that the sweep holds more than once answers with its first row.
  explicit ReplayProfiler(const Sweep& sweep);
  // The same rows with noise; copies are cheap and share the rows.
  ReplayProfiler with_noise(const ReplayNoise& noise) const;
  // Throws NotFoundError when the sweep does not hold the point.
  Observation profile(const OperatingPoint& point) override;
  // Replayed, or the sweep's own where it is not of a board: fake, modelled, ...
  Provenance provenance() const override { return provenance_; }

 private:
  std::string source_;
  Provenance provenance_;
  std::shared_ptr<const std::vector<Observation>> rows_;  // sorted by point
  ReplayNoise noise_;
  Random random_;
};

}  // namespace ridgewatt
