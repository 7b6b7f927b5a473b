// Profiler that simulates the board with a twin: it computes a point instead of measuring it.
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
