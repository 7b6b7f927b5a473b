// Reasons why a measured point may be inaccurate.
#pragma once

#include "ridgewatt/base/enum_set.h"

#pragma GCC visibility push(default)

namespace ridgewatt {

enum class PointFlag {
  kUnsteady,        // the power under load did not become steady
  kDrifted,         // a clock was lower than the set clock
  kThrottled,       // the machine reported throttling
  kExcluded,        // many minibatches were not counted
  kFewMinibatches,  // the command ended before its time window was complete
  kFewSamples,      // few samples of power
};
constexpr auto enum_names(PointFlag) {
  return named<PointFlag>({{PointFlag::kUnsteady, "unsteady"},
                           {PointFlag::kDrifted, "drifted"},
                           {PointFlag::kThrottled, "throttled"},
                           {PointFlag::kExcluded, "excluded"},
                           {PointFlag::kFewMinibatches, "few-minibatches"},
                           {PointFlag::kFewSamples, "few-samples"}});
}
using PointFlags = EnumSet<PointFlag>;

}  // namespace ridgewatt

#pragma GCC visibility pop
