// What it costs to go from one program to another: the first minibatch after another worker's
// against those that follow the same worker's. Contexts are switched, caches and clocks have to
// come back.
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
  double switch_s = 0;        // negative: faster after another one, which is noise or a warm clock
  double lo_s = 0, hi_s = 0;  // 95 % interval
  std::size_t after_other = 0, after_same = 0;  // minibatches
};

// Of each worker with enough minibatches of one size both ways (8 each). The estimate is the shift
// between the two samples by Hodges and Lehmann (Annals of Mathematical Statistics 34, 1963): the
// median of all differences, which single slow minibatches do not move; its interval follows from
// the normal approximation of the rank sum. `grants` in order, one at a time.
std::vector<SwitchCost> measure_switch_cost(std::span<const GrantRecord> grants);

// One number for a plan: the mean over the workers, none below 0; nothing without a worker.
std::optional<double> mean_switch_s(std::span<const SwitchCost> costs);

}  // namespace ridgewatt::schedule
