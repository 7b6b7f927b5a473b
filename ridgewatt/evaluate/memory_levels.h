// Examines whether the memory clock needs a table per level: the errors by memory clock of a twin
// that did not see a workload, and the effect of separate numbers for each level on that workload.
//
//   const auto scores = score_memory_levels(start, runs, summary.left_out, options);
//   const auto means = mean_over_levels(scores);
//
// The twin uses the memory clock in three places, each with one number for all levels: bandwidth (a
// share of the peak), launches (memory cycles that they wait for) and power (proportional to the
// clock, and energy per byte). All numbers of a level come only from the other workloads. Rows that
// the quality check flags are neither used nor scored.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/twin/calibration_runs.h"
#include "ridgewatt/twin/twin.h"
#include "ridgewatt/twin/twin_fit.h"

namespace ridgewatt::evaluate {

// The separate numbers of a level.
enum class LevelForm : std::size_t { kNothing, kFactors, kTerms, kTwin };
constexpr auto enum_names(LevelForm) {
  return named<LevelForm>({{LevelForm::kNothing, "nothing"},
                           {LevelForm::kFactors, "factors"},  // on time and on power
                           {LevelForm::kTerms, "terms"},      // those that hold the memory clock
                           {LevelForm::kTwin, "twin"}});      // every parameter
}
inline constexpr std::size_t kLevelForms = count_of<LevelForm>();

// Mean absolute percentage errors, as fractions.
struct LevelErrors {
  double time = 0;
  double power = 0;
  double energy = 0;
};

// From the next lower level to this one, over rows that agree in everything else.
struct LevelStep {
  std::size_t pairs = 0;
  double measured = 0;  // median of the lower level's time over this one's, less 1
  double modelled = 0;  // the same for the twin
  double slower = 0;    // share of the pairs in which this level was measured as slower
};

struct MemoryLevelScore {
  std::string workload;
  double mem_clock_hz = 0;  // 0: all levels
  std::size_t rows = 0;
  std::optional<LevelStep> step = {};  // empty at the lowest level
  double time_bias = 0;  // mean of ln(modelled / measured) of the level without separate numbers
  double power_bias = 0;
  std::array<LevelErrors, kLevelForms> errors{};  // by LevelForm
};

// By workload in order of appearance, levels rising. `left_out` has one twin per workload in that
// order, fitted from `start` to the others. A level that no other workload has uses the twin.
// Throws UsageError if the numbers of twins and workloads differ, or there is only one; InputError
// if no row has a memory clock.
std::vector<MemoryLevelScore> score_memory_levels(const twin::Twin& start,
                                                  const std::vector<twin::CalibrationRun>& runs,
                                                  std::span<const twin::Twin> left_out,
                                                  const twin::CalibrateOptions& options);

// One row per workload, over its rows, and "mean of workloads" with equal weights.
std::vector<MemoryLevelScore> mean_over_levels(const std::vector<MemoryLevelScore>& scores);

}  // namespace ridgewatt::evaluate
