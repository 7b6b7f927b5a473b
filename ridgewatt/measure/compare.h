// Which of two set-ups costs more? Runs both in turn, several times, and compares what they cost:
// bare metal or container, static or dynamic graph, one runtime or another, batch 8 or 64, fixed
// clocks or a governor.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ridgewatt/measure/measure_command.h"

namespace ridgewatt::measure {

struct CompareOptions {
  MeasureOptions a;
  MeasureOptions b;
  int repeats = 5;  // of each
  // Called before each run of A (false) and B (true): sets a power mode, say.
  std::function<void(bool)> prepare = [](bool) {};
  std::uint64_t seed = 1;  // of the order inside each pair
};

struct Comparison {
  std::string quantity;  // "time", "energy", "power", "minibatch time", "CPU time", "load:gpu"
  std::string unit;
  double a = 0;  // geometric means
  double b = 0;
  double ratio = 0;     // b / a
  double ratio_lo = 0;  // Student's 95 % interval over pairs, of the logarithms
  double ratio_hi = 0;
  int pairs = 0;
  // The interval excludes 1.
  bool differs() const { return ratio_lo > 1 || ratio_hi < 1; }
};

// From runs of A and B that belong together pair by pair. Quantities that a run lacks are left out.
std::vector<Comparison> compare_measurements(const std::vector<Measurement>& a,
                                             const std::vector<Measurement>& b);

// Runs and compares. Within a pair chance decides who goes first, so that a drift (heat) does not
// favor one. `progress` gets the number of runs done. Throws Error when a command fails.
std::vector<Comparison> compare_commands(const platform::Sysfs& sysfs,
                                         const CompareOptions& options,
                                         const std::function<void(int)>& progress);

}  // namespace ridgewatt::measure
