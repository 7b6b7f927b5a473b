// The clock of least cost from a handful of measurements, where cost falls and then rises with the
// clock, as energy does: at low clocks what is always on is paid for longer, at high ones the
// voltage rises.
//
// Golden-section search (Kiefer, Proc. AMS 4, 1953: no search of a unimodal function needs fewer
// evaluations for the same bracket) over the clocks that the board has; where the minimum of much
// the same workload is known, from there downhill instead. What is answered was measured, so noise
// of the curve between the clocks does not enter.
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
  std::size_t best = 0;               // the one of least cost among them
};

// `clocks_hz` rise; `cost(index)` is measured at most once an index and at most `count` times (>
// 0). `start` is the index where the minimum is thought to be, if anywhere: then the clocks nearest
// to the best so far are measured, the lower side first. UsageError when there are no clocks,
// they do not rise or `start` is not one of them.
ClockSearch search_clock(std::span<const double> clocks_hz,
                         const std::function<double(std::size_t)>& cost, std::size_t count,
                         std::optional<std::size_t> start = std::nullopt);

// The search for least energy over the GPU clock, against the measured optimum, in one group of
// rows that differ in nothing but that clock. Groups that differ in the batch only come one after
// the other, the smallest batch first, and a search starts at the median of the earlier answers.
struct ClockSearchScore {
  OperatingPoint rest;  // what the rows share; its GPU clock is 0
  std::size_t clocks = 0;
  double answer_hz = 0, best_hz = 0;
  double excess = 0;  // of the answer's energy over the least measured one, as a fraction
  // Median deviation of an energy from the mean of its two neighbors: no curve follows that.
  double noise = 0;
};
// One score per group of at least three clocks, `count` of which are measured.
std::vector<ClockSearchScore> score_clock_search(const Sweep& sweep, std::size_t count);

}  // namespace ridgewatt::predict
