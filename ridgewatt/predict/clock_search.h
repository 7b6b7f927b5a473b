// Finds the clock with the least cost in a few measurements. The cost must fall and then rise
// with the clock. Energy is an example: low clocks prolong static power, high clocks need more
// voltage.
//
// Golden-section search over the clocks of the board (Kiefer, Proc. AMS 4, 1953: no search of a
// unimodal function needs fewer evaluations for the same bracket). If the minimum of a similar
// workload is known, the search instead starts there and moves to lower costs. The answer is a
// measured clock, so no interpolation between clocks is needed.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "ridgewatt/sweep/sweep.h"

namespace ridgewatt::predict {

struct ClockSearch {
  std::vector<std::size_t> measured;  // indices of clocks in the order of measurement
  std::size_t best = 0;               // the measured index with the least cost
};

// `clocks_hz` must be ascending. `cost(index)` is called at most once per index and at most `count`
// times (> 0). `start` is the index of the expected minimum, if known. The next clock is then
// always the unmeasured clock that is nearest to the best one, or the lower of two such clocks.
// Throws UsageError if there are no clocks, they are not ascending, `count` is 0, or `start` is out
// of range.
ClockSearch search_clock(std::span<const double> clocks_hz,
                         const std::function<double(std::size_t)>& cost, std::size_t count,
                         std::optional<std::size_t> start = std::nullopt);

// The result of a search for least energy over the GPU clock, compared with the measured optimum,
// in one group of rows that differ only in that clock. Groups that differ only in the batch are
// searched in ascending order of the batch, and each search starts at the median of the previous
// answers.
struct ClockSearchScore {
  OperatingPoint rest;  // common mode and batch of the rows, with a GPU clock of 0
  std::size_t clocks = 0;
  double answer_hz = 0, best_hz = 0;
  double excess = 0;  // energy of the answer / least measured energy - 1
  // Noise of the curve: median relative deviation of an energy from the mean of its two
  // neighbors.
  double noise = 0;
};
// One score per group of at least three clocks; each search may measure `count` clocks.
std::vector<ClockSearchScore> score_clock_search(const Sweep& sweep, std::size_t count);

}  // namespace ridgewatt::predict
