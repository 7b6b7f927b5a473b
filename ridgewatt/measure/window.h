// Which minibatches of a program count, and what their mean is worth. None is left out for being
// slow: a stall belongs to what the program costs. Some are warm-up, and some fell into a time in
// which something from outside disturbed the program.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ridgewatt/base/statistics.h"
#include "ridgewatt/measure/marks.h"

namespace ridgewatt::measure {

// Something from outside, and when: "throttling", "clock changed", "another process" on the device,
// "counter gap" of the power source.
struct Disturbance {
  std::string cause;
  double begin_s = 0;  // CLOCK_MONOTONIC
  double end_s = 0;
};

struct WindowOptions {
  int warm_up = 1;        // minibatches left out; the first one has no beginning anyway
  int minibatches = 0;    // that count and that the window holds; 0: all there are
  double at_least_s = 0;  // the window is longer than that many minibatches where they are short
  double begin_s = 0;     // CLOCK_MONOTONIC; minibatches that began earlier are left out
};

struct MinibatchWindow {
  std::vector<MarkedMinibatch> minibatches;  // in a row; slow and excluded ones among them
  bool complete = false;                     // as many that count, and as long, as asked
};

// A minibatch is slow that takes 5 % and 3.5 robust standard deviations (1.4826 median absolute
// deviations; Iglewicz and Hoaglin 1993) more than the median. One that overlaps a disturbance is
// excluded, the first cause named.
MinibatchWindow minibatch_window(const std::vector<TimedMark>& marks, const WindowOptions& options,
                                 std::span<const Disturbance> disturbances = {});

// Mean of values in the order of time, with a 95 % interval that allows for their autocorrelation:
// Student's, of the means of 10 batches in a row (Schmeiser 1982), or of half as many batches as
// there are values where these are fewer than 20. Infinite for fewer than 4 values.
MeanInterval batch_means_interval(std::span<const double> values);

}  // namespace ridgewatt::measure
