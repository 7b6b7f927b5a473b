// Measures the interference factor: the cost of letting the driver share the device. While two
// programs share the device, each runs at 1 / (2 x factor) of its speed alone. At 1, sharing is
// ideal time slicing. Above 1, switches and the shared caches and memory cost time. Below 1, each
// program uses idle times of the other.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>

#include "ridgewatt/schedule/executor.h"

namespace ridgewatt::schedule {

struct InterferenceProgram {
  std::string name;
  double alone_s = 0;   // mean time of a minibatch with the device to itself
  double shared_s = 0;  // mean time of a minibatch in the shared part of the run
  double speed = 0;     // speed while the other program runs, divided by the speed alone
};

struct Interference {
  double factor = 0;  // 1 / sum of the speeds
  std::array<InterferenceProgram, 2> programs;
};

// Computes the factor from grants that were exclusive before `shared_from_s` and shared after it. A
// minibatch of a program takes the mean time t when the program runs alone. A shared minibatch
// takes the time d, and both programs run during the part o of d. The relative speed during o is (t
// - (d - o)) / o, with sums over all minibatches. Empty unless exactly two programs ran minibatches
// in both parts, and each ran together with the other for at least half of its time in the second
// part.
std::optional<Interference> measure_interference(std::span<const GrantRecord> grants,
                                                 double shared_from_s);

}  // namespace ridgewatt::schedule
