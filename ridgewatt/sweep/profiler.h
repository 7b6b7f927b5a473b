// The seam between what searches and what measures: a strategy asks for one operating point and
// does not know whether a sweep is replayed, a twin computes, or a board runs.
#pragma once

#include "ridgewatt/sweep/observation.h"
#include "ridgewatt/sweep/provenance.h"

namespace ridgewatt {

class Profiler {
 public:
  virtual ~Profiler() = default;
  // Runs the workload at `point`. Throws Error when the point cannot be run (not in the sweep, does
  // not fit the memory, board refuses).
  virtual Observation profile(const OperatingPoint& point) = 0;
  // Of every result that is made from it.
  virtual Provenance provenance() const = 0;
};

}  // namespace ridgewatt
