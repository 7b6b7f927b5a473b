// What two programs lose, or win, when the driver shares the device between them: the interference
// factor. With both at work each runs at 1 / (2 x factor) of its speed alone: 1 is ideal time
// slicing, above 1 switching and shared caches and memory cost time, below 1 each fills the
// other's gaps.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>

#include "ridgewatt/schedule/executor.h"

namespace ridgewatt::schedule {

struct InterferenceProgram {
  std::string name;
  double alone_s = 0;   // mean minibatch with the device to itself
  double shared_s = 0;  // mean minibatch, other work going on or not
  double speed = 0;     // of its speed alone, while another one runs
};

struct Interference {
  double factor = 0;  // 1 / sum of the speeds
  std::array<InterferenceProgram, 2> programs;
};

// From grants that were exclusive before `shared_from_s` and not after. A minibatch of mean length
// t alone that took d, o of it together with another, ran at (t - (d - o)) / o of its speed; sums
// over all minibatches. Nothing unless two programs ran minibatches in both parts, and in the
// second each ran together with the other for half of its time at least.
std::optional<Interference> measure_interference(std::span<const GrantRecord> grants,
                                                 double shared_from_s);

}  // namespace ridgewatt::schedule
