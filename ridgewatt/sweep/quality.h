// Checks the data quality of a sweep: which rows are suspect, and why, with line numbers.
//
// Real sweeps contain rows whose clock was not applied or whose power was read too late. A flagged
// row is not used as reference, sample, optimum or answer unless the user asks for it
// (`--keep-outliers`).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/sweep/sweep.h"

namespace ridgewatt {

enum class Fault {
  kUnit,             // a clock, time or power that is only plausible in another unit
  kMissingKnob,      // lacks a knob that other rows of the sweep have
  kTimeOutlier,      // time does not match the neighboring modes
  kPowerOutlier,     // power does not match the neighboring modes
  kNotMonotonic,     // clearly slower than with a lower CPU or GPU clock
  kClockNotApplied,  // time and power both match another clock
};
constexpr auto enum_names(Fault) {
  return named<Fault>({{Fault::kUnit, "unit"},
                       {Fault::kMissingKnob, "missing knob"},
                       {Fault::kTimeOutlier, "time outlier"},
                       {Fault::kPowerOutlier, "power outlier"},
                       {Fault::kNotMonotonic, "not monotonic"},
                       {Fault::kClockNotApplied, "clock not applied"}});
}

struct QualityOptions {
  // The smallest deviation of ln(time) and ln(power) from the neighbors that counts as an outlier.
  // It must also exceed this number of robust standard deviations.
  double time_deviation = 0.22;
  double power_deviation = 0.15;
  double sigmas = 6;
  // A row that is slower than at the next lower clock by this factor is faulty. Time never rises
  // with a clock.
  double monotonic_factor = 1.25;
};

struct QualityFlag {
  std::size_t row = 0;   // index into Sweep::observations
  std::size_t line = 0;  // line in the file
  Fault fault = Fault::kUnit;
  std::string detail;  // for people: the measured and the expected value
};

struct QualityReport {
  std::vector<QualityFlag> flags;  // by row; a row may have several
  std::vector<bool> flagged;       // a row is suspect
  std::vector<std::string>
      remarks;  // about the sweep as a whole: constant knobs, holes in the grid
  std::size_t flagged_rows() const;
  double flagged_share() const;  // of all rows
};

// Checks each row against its neighbors along each knob (and batch). The expected value is that of
// a line through the nearest trusted rows below and above, at most two levels away, corrected for
// the usual curvature at those levels; the knobs are combined by a weighted median. If fewer than
// eight rows show the usual curvature, only deviations beyond all physically possible slopes count.
// The worst row of a neighborhood is removed first and the others are checked again without it, so
// that a bad row does not affect its neighbors. Rows without near neighbors are only checked for
// units and missing knobs. Repeats of an operating point are not a fault. O(rows log rows) per
// round, a few rounds.
QualityReport check_quality(const Sweep& sweep, const QualityOptions& options = {});

// If a larger share of rows is flagged, the check probably does not suit the sweep: ask the user
// before leaving rows out.
inline constexpr double kMostFlagged = 0.1;

// The sweep without its flagged rows; repeats are averaged.
Sweep trusted_rows(const Sweep& sweep, const QualityReport& report);

}  // namespace ridgewatt
