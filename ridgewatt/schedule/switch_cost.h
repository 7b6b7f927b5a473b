// Measures the cost of a switch between programs: the difference in time between a worker's
// minibatches that follow a minibatch of another worker and those that follow its own. A switch
// changes contexts; afterwards, caches must be refilled and clocks must rise again.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ridgewatt/schedule/executor.h"

namespace ridgewatt::schedule {

struct SwitchCost {
  std::string worker;
  double switch_s = 0;        // negative: faster after another program (noise, or raised clocks)
  double lo_s = 0, hi_s = 0;  // 95 % interval
  std::size_t after_other = 0, after_same = 0;  // numbers of minibatches
};

// Returns one entry per worker that has at least 8 minibatches of one size in each of the two
// groups. The estimate is the shift between the two groups by Hodges and Lehmann (Annals of
// Mathematical Statistics 34, 1963): the median of all differences, which is robust to single slow
// minibatches. The interval follows from the normal approximation of the rank sum. `grants` must be
// in order and not overlap.
std::vector<SwitchCost> measure_switch_cost(std::span<const GrantRecord> grants);

// Mean over the workers, with negative costs counted as 0. Empty if `costs` is empty.
std::optional<double> mean_switch_s(std::span<const SwitchCost> costs);

}  // namespace ridgewatt::schedule
