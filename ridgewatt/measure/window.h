// Selects the minibatches that count in a measurement and computes the uncertainty of their mean.
// Warm-up minibatches and those during an external disturbance do not count. A slow minibatch
// counts, since stalls are part of the program's cost.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ridgewatt/base/statistics.h"
#include "ridgewatt/measure/marks.h"

namespace ridgewatt::measure {

// An external disturbance and its time: "throttling", "clock changed", "another process" on the
// device, "counter gap" of the power source.
struct Disturbance {
  std::string cause;
  double begin_s = 0;  // CLOCK_MONOTONIC
  double end_s = 0;
};

struct WindowOptions {
  // Minibatches left out at the beginning. The first is always left out, because its beginning is
  // unknown.
  int warm_up = 1;
  int minibatches = 0;  // number of minibatches in the window that count; 0: no limit
  // Minimum duration: short minibatches extend the window beyond `minibatches`.
  double at_least_s = 0;
  double begin_s = 0;  // CLOCK_MONOTONIC; minibatches that began earlier are left out
};

struct MinibatchWindow {
  std::vector<MarkedMinibatch> minibatches;  // consecutive, including slow and excluded ones
  bool complete = false;                     // long enough, and enough minibatches count
};

// A minibatch is slow if it exceeds the median both by 5 % and by 3.5 robust standard deviations
// (1.4826 times the median absolute deviation; Iglewicz and Hoaglin 1993). A minibatch that
// overlaps a disturbance is excluded, with the first cause.
MinibatchWindow minibatch_window(const std::vector<TimedMark>& marks, const WindowOptions& options,
                                 std::span<const Disturbance> disturbances = {});

// Mean of values in the order of time, with a 95 % interval that allows for autocorrelation:
// Student's interval of the means of 10 consecutive batches (Schmeiser 1982). Fewer than 20 values
// are divided into half as many batches. For fewer than 4 values the interval is infinite.
MeanInterval batch_means_interval(std::span<const double> values);

}  // namespace ridgewatt::measure
