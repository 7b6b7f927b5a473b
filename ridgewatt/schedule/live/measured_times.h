// Ratio of measured to planned times of minibatches in each mode, as the median of the last
// measurements.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "ridgewatt/schedule/live/live_book.h"

namespace ridgewatt::schedule::live {

class MeasuredTimes {
 public:
  explicit MeasuredTimes(std::size_t programs);
  // Adds a measurement. `who` is the index of the program, or the number of programs for training.
  // `planned_s` is the original planned time, without a correction.
  void add(std::size_t mode, std::size_t who, double planned_s, double measured_s);
  // Returns the factors in each of `count` modes. A mode with too few measurements gets the factors
  // of all modes together.
  std::vector<TimeFactors> in_modes(std::size_t count) const;

 private:
  std::size_t programs_;
  std::map<std::pair<std::size_t, std::size_t>, std::deque<double>> ratios_;  // key: mode and `who`
  std::vector<std::deque<double>> all_;                                       // indexed by `who`
};

// True if any factor differs by more than the share `share`. Both spans must have the same shape.
bool differ(std::span<const TimeFactors> a, std::span<const TimeFactors> b, double share);

}  // namespace ridgewatt::schedule::live
