// Data quality of a sweep: which rows cannot be trusted, and why, with line numbers.
//
// Real sweeps hold rows whose clock was not applied or whose power was read too late. A flagged row
// is neither reference, sample, optimum nor answer unless the user insists (`--keep-outliers`).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/sweep/sweep.h"

namespace ridgewatt {

enum class Fault {
  kUnit,             // a clock, time or power that only makes sense in another unit
  kMissingKnob,      // a knob that other rows of the sweep have
  kTimeOutlier,      // time does not fit the neighboring modes
  kPowerOutlier,     // power does not fit the neighboring modes
  kNotMonotonic,     // clearly slower than with a lower CPU or GPU clock
  kClockNotApplied,  // time and power both read as if another clock had been in force
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
  // Smallest deviation of ln(time) and ln(power) from the neighbors that counts as an outlier, and
  // how many robust standard deviations it must exceed as well.
  double time_deviation = 0.22;
  double power_deviation = 0.15;
  double sigmas = 6;
  // Slower than the next lower clock by this factor is a fault. Time never rises with a clock.
  double monotonic_factor = 1.25;
};

struct QualityFlag {
  std::size_t row = 0;   // index into Sweep::observations
  std::size_t line = 0;  // line in the file
  Fault fault = Fault::kUnit;
  std::string detail;  // for people: what was seen and what was expected
};

struct QualityReport {
  std::vector<QualityFlag> flags;  // by row; a row may have several
  std::vector<bool> flagged;       // a row is suspect
  std::vector<std::string>
      remarks;  // about the sweep as a whole: constant knobs, holes in the grid
  std::size_t flagged_rows() const;
  double flagged_share() const;  // of all rows
};

// Checks each row against its neighbors along each knob (and batch): the value that a line through
// the nearest trusted rows below and above gives, at most two levels away, corrected for the usual
// curvature at those levels, combined over the knobs by a weighted median. Where fewer than eight
// rows show the usual curvature, only what no slope within the limits of physics explains counts.
// The worst row of a neighborhood is set aside first and the others are judged anew without it, so
// that a bad row does not condemn its neighbors. Rows without near neighbors are only checked for
// units and missing knobs; repeats of an operating point are not a fault. O(rows log rows) per
// round, a few rounds.
QualityReport check_quality(const Sweep& sweep, const QualityOptions& options = {});

// Beyond this share of flagged rows it is rather the check that does not know the sweep: whoever
// would leave rows out asks first.
inline constexpr double kMostFlagged = 0.1;

// The sweep without its flagged rows, repeats averaged.
Sweep trusted_rows(const Sweep& sweep, const QualityReport& report);

}  // namespace ridgewatt
