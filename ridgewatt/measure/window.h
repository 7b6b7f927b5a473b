// Which minibatches of a program count: some are warm-up, some are outliers, and a profile takes as
// many clean ones as its protocol says.
#pragma once

#include <vector>

#include "ridgewatt/measure/marks.h"

namespace ridgewatt {

struct WindowOptions {
  int warm_up = 1;        // minibatches left out; the first one has no beginning anyway
  int minibatches = 0;    // clean ones that the window holds; 0: all there are
  double at_least_s = 0;  // the window is longer than that many minibatches where they are short
};

struct MinibatchWindow {
  std::vector<MarkedMinibatch> minibatches;  // in a row; outliers among them are marked
  bool complete = false;                     // as many clean ones, and as long, as asked
};

// An outlier is more than 5 % and more than 3.5 robust standard deviations (1.4826 median absolute
// deviations; Iglewicz and Hoaglin 1993) off the median time.
MinibatchWindow minibatch_window(const std::vector<TimedMark>& marks, const WindowOptions& options);

}  // namespace ridgewatt
