#include "ridgewatt/twin/twin_profiler.h"

#include <fmt/format.h>

#include "ridgewatt/base/error.h"

namespace ridgewatt::twin {

Observation TwinProfiler::profile(const OperatingPoint& point) {
  if (!model_.fits_memory(point.batch)) {
    throw NotSupportedError(fmt::format("batch {} does not fit into the memory of {}", point.batch,
                                        model_.twin().board),
                            "", "give a smaller --batch");
  }
  return model_.observe(point);
}

}  // namespace ridgewatt::twin
