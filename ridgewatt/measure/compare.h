// Compares the cost of two configurations by running them alternately, several times. Examples:
// bare metal or container, two runtimes, batch 8 or 64, fixed clocks or a governor.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ridgewatt/measure/measure_command.h"

namespace ridgewatt::measure {

struct CompareOptions {
  MeasureOptions a;
  MeasureOptions b;
  int repeats = 5;  // runs of each configuration; at least 2
  // Called before each run of A (false) and of B (true), for example to set a power mode.
  std::function<void(bool)> prepare = [](bool) {};
  std::uint64_t seed = 1;  // for the random order within each pair
};

struct Comparison {
  std::string quantity;  // "time", "energy", "power", "minibatch time", "CPU time", "load:gpu"
  std::string unit;
  double a = 0;  // geometric means of the runs of A and of B
  double b = 0;
  double ratio = 0;  // b / a
  // Student's 95 % interval of the ratio, from the logarithms of the ratios of the pairs.
  double ratio_lo = 0;
  double ratio_hi = 0;
  int pairs = 0;
  // Whether the interval excludes 1.
  bool differs() const { return ratio_lo > 1 || ratio_hi < 1; }
};

// Compares runs pair by pair: a[i] and b[i] are a pair. Omits quantities that some run lacks.
// Throws UsageError if the sizes differ or are 0.
std::vector<Comparison> compare_measurements(const std::vector<Measurement>& a,
                                             const std::vector<Measurement>& b);

struct ComparedCommands {
  std::vector<Comparison> quantities;
  std::size_t malformed_marks = 0;  // of all runs
};

// Runs both commands and compares them. The order within a pair is random, so that drift (heat)
// favors neither command. `progress` is called with the number of completed runs. Throws Error if a
// command fails.
ComparedCommands compare_commands(const platform::Sysfs& sysfs, const CompareOptions& options,
                                  const std::function<void(int)>& progress);

}  // namespace ridgewatt::measure
