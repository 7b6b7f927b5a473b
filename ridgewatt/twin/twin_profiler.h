// A twin that simulates the board: profiling a point computes it.
#pragma once

#include "ridgewatt/sweep/profiler.h"
#include "ridgewatt/twin/twin_model.h"

namespace ridgewatt::twin {

class TwinProfiler : public Profiler {
 public:
  // `model` must outlive the profiler.
  explicit TwinProfiler(const TwinModel& model) : model_(model) {}
  // Throws NotSupportedError when the minibatch does not fit the board's memory.
  Observation profile(const OperatingPoint& point) override;
  Provenance provenance() const override { return Provenance::kModelled; }

 private:
  const TwinModel& model_;
};

}  // namespace ridgewatt::twin
