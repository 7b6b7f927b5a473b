// What minibatches take against what was planned, by mode: the median of the last ones.
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
  // `who`: the program, or the count of programs for training. `planned_s` by the modes as they
  // came, without any correction.
  void add(std::size_t mode, std::size_t who, double planned_s, double measured_s);
  // The factors in each of `count` modes; of all modes together where one has seen too little.
  std::vector<TimeFactors> in_modes(std::size_t count) const;

 private:
  std::size_t programs_;
  std::map<std::pair<std::size_t, std::size_t>, std::deque<double>> ratios_;  // by mode and who
  std::vector<std::deque<double>> all_;                                       // by who
};

// Whether any of the factors of any mode differs by more than `share`.
bool differ(std::span<const TimeFactors> a, std::span<const TimeFactors> b, double share);

}  // namespace ridgewatt::schedule::live
