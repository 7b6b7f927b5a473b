// Examines whether the twin needs separate parameters for each memory clock (level). Scores twins
// by memory clock, with and without such parameters, on workloads to which they were not fitted.
//
//   const auto scores = score_memory_levels(start, runs, summary.left_out, options);
//   const auto means = mean_over_levels(scores);
//
// In the twin, the memory clock determines the bandwidth (a share of the peak), the launch time (a
// number of memory cycles) and the power (proportional to the clock, plus energy per byte), each
// with one parameter for all levels. The separate parameters of a level are fitted only to the
// other workloads. Rows that the quality check flags are neither used nor scored.
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

// The parameters that each level has separately; kNothing: none.
enum class LevelForm : std::size_t { kNothing, kFactors, kTerms, kTwin };
constexpr auto enum_names(LevelForm) {
  return named<LevelForm>({{LevelForm::kNothing, "nothing"},
                           {LevelForm::kFactors, "factors"},  // one factor on time and one on power
                           {LevelForm::kTerms, "terms"},  // the terms that contain the memory clock
                           {LevelForm::kTwin, "twin"}});  // all parameters
}
inline constexpr std::size_t kLevelForms = count_of<LevelForm>();

// Mean absolute percentage errors, as fractions.
struct LevelErrors {
  double time = 0;
  double power = 0;
  double energy = 0;
};

// Effect of a step from the next lower level to this level, over pairs of rows that differ in
// nothing else.
struct LevelStep {
  std::size_t pairs = 0;
  // Median of the time at the lower level divided by the time at this level, minus 1.
  double measured = 0;
  double modelled = 0;  // the same median according to the twin
  double slower = 0;    // share of pairs that were measured as slower at this level
};

struct MemoryLevelScore {
  std::string workload;
  double mem_clock_hz = 0;  // 0: all levels
  std::size_t rows = 0;
  std::optional<LevelStep> step = {};  // absent at the lowest level
  double time_bias = 0;  // mean of ln(modelled / measured) without separate parameters
  double power_bias = 0;
  std::array<LevelErrors, kLevelForms> errors{};  // indexed by LevelForm
};

// Returns a score for each workload (in order of appearance) and level (ascending). `left_out` has
// one twin per workload in that order, fitted from `start` to the other workloads. A level that
// occurs in one workload only is scored with the twin of this workload. Throws UsageError if the
// numbers of twins and workloads differ or there is only one workload, and InputError if no row has
// a memory clock.
std::vector<MemoryLevelScore> score_memory_levels(const twin::Twin& start,
                                                  const std::vector<twin::CalibrationRun>& runs,
                                                  std::span<const twin::Twin> left_out,
                                                  const twin::CalibrateOptions& options);

// Returns a score per workload over all its levels, and "mean of workloads" with equal weights.
std::vector<MemoryLevelScore> mean_over_levels(const std::vector<MemoryLevelScore>& scores);

}  // namespace ridgewatt::evaluate
