// The interface between a search and a measurement. For the search it makes no difference whether a
// sweep is replayed, a twin computes the point, or a board runs it.
#pragma once

#include "ridgewatt/sweep/observation.h"
#include "ridgewatt/sweep/provenance.h"

#pragma GCC visibility push(default)

namespace ridgewatt {

class Profiler {
 public:
  virtual ~Profiler() = default;
  // Runs the workload at `point`. Throws Error if the point cannot be run (not in the sweep,
  // exceeds the memory, rejected by the board).
  virtual Observation profile(const OperatingPoint& point) = 0;
  // The provenance of every result of this profiler.
  virtual Provenance provenance() const = 0;
};

}  // namespace ridgewatt

#pragma GCC visibility pop
