// Finds the clock of least cost with a few measurements, where cost falls and then rises with the
// clock, like energy: at low clocks static power lasts longer, at high clocks the voltage rises.
//
// Golden-section search (Kiefer, Proc. AMS 4, 1953: no search of a unimodal function needs fewer
// evaluations for the same bracket) over the clocks of the board; if the minimum of a similar
// workload is known, it goes downhill from there instead. The answer is a measured clock, so the
// noise of the curve between clocks does not matter.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "ridgewatt/sweep/sweep.h"

namespace ridgewatt::predict {

struct ClockSearch {
  std::vector<std::size_t> measured;  // indices in the order measured
  std::size_t best = 0;               // the measured one of least cost
};

// `clocks_hz` must rise; `cost(index)` is measured at most once per index and at most `count` times
// (> 0). `start` is the index of the expected minimum, if there is one: then the clocks nearest to
// the best so far are measured, the lower side first. Throws UsageError if there are no clocks,
// they do not rise, or `start` is not one of them.
ClockSearch search_clock(std::span<const double> clocks_hz,
                         const std::function<double(std::size_t)>& cost, std::size_t count,
                         std::optional<std::size_t> start = std::nullopt);

// The search for least energy over the GPU clock, compared with the measured optimum, in one group
// of rows that differ only in that clock. Groups that differ only in the batch follow each other,
// the smallest batch first, and a search starts at the median of the earlier answers.
struct ClockSearchScore {
  OperatingPoint rest;  // common to the rows; its GPU clock is 0
  std::size_t clocks = 0;
  double answer_hz = 0, best_hz = 0;
  double excess = 0;  // of the answer's energy over the least measured one, as a fraction
  // Median deviation of an energy from the mean of its two neighbors: the noise of the curve.
  double noise = 0;
};
// One score per group of at least three clocks, `count` of which are measured.
std::vector<ClockSearchScore> score_clock_search(const Sweep& sweep, std::size_t count);

}  // namespace ridgewatt::predict
