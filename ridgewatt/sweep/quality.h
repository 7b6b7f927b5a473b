// Checks the data quality of a sweep: which rows are suspect, and why, with line numbers.
//
// Real sweeps contain rows whose clock was not applied or whose power was read too late. By
// default, a flagged row is not used as reference, sample, optimum or answer (`--keep-outliers`
// changes that).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/sweep/sweep.h"

namespace ridgewatt {

// The reason why a row is suspect.
enum class Fault {
  kUnit,             // a clock, time or power is plausible only in another unit
  kMissingKnob,      // lacks a knob that other rows of the sweep have
  kTimeOutlier,      // the time does not match the neighboring modes
  kPowerOutlier,     // the power does not match the neighboring modes
  kNotMonotonic,     // clearly slower than with a lower CPU or GPU clock
  kClockNotApplied,  // time and power both match another clock
  kEnergy,           // the energy is not power times time
};
constexpr auto enum_names(Fault) {
  return named<Fault>({{Fault::kUnit, "unit"},
                       {Fault::kMissingKnob, "missing knob"},
                       {Fault::kTimeOutlier, "time outlier"},
                       {Fault::kPowerOutlier, "power outlier"},
                       {Fault::kNotMonotonic, "not monotonic"},
                       {Fault::kClockNotApplied, "clock not applied"},
                       {Fault::kEnergy, "energy"}});
}

struct QualityOptions {
  // A row is an outlier if its ln(time) or ln(power) deviates from its neighbors by more than this
  // value, and also by more than `sigmas` robust standard deviations.
  double time_deviation = 0.22;
  double power_deviation = 0.15;
  double sigmas = 6;
  // A row is faulty if it is slower than the row at the next lower clock by this factor, because
  // time never rises with a clock.
  double monotonic_factor = 1.25;
  // A measured energy may differ from power times time by this share, to allow for rounded figures.
  double energy_deviation = 0.05;
};

// The way in which rows count energy: the median of energy / (power x time). It is not a fault if
// all rows count energy in another way, for example the energy of one rail.
class EnergyCount {
 public:
  explicit EnergyCount(std::vector<double> ratios,
                       double deviation = QualityOptions().energy_deviation);
  // Returns whether a row counts energy as power x time or in the usual way of the rows.
  bool plausible(double ratio) const;
  // Describes how the rows count energy; empty if energy is power x time.
  std::string remark() const;

 private:
  double usual_ = 1, deviation_;
};

struct QualityFlag {
  std::size_t row = 0;   // index into Sweep::observations
  std::size_t line = 0;  // line in the file
  Fault fault = Fault::kUnit;
  std::string detail;  // text with the measured and the expected value
};

struct QualityReport {
  std::vector<QualityFlag> flags;  // In order of rows. A row may have several flags.
  std::vector<bool> flagged;       // one entry per row: the row is suspect
  // Remarks on the sweep as a whole: constant knobs, holes in the grid.
  std::vector<std::string> remarks;
  std::size_t flagged_rows() const;
  double flagged_share() const;  // share of all rows
};

// Checks each row against its neighbors along each knob (and batch). The expected value lies on a
// line through the nearest trusted rows below and above, at most two levels away, corrected for the
// usual curvature at those levels. The deviations along the knobs are combined by a weighted
// median. If fewer than eight rows show the usual curvature, only deviations beyond all physically
// possible slopes count. The worst row of a neighborhood is removed first and the others are
// checked again, so that a bad row does not affect its neighbors. Rows without near neighbors are
// checked only for units, energy and missing knobs. Repeated operating points are not a fault. The
// cost is O(rows log rows) per round, with a few rounds.
QualityReport check_quality(const Sweep& sweep, const QualityOptions& options = {});

// If a larger share of the rows is flagged, the check is probably not suitable for the sweep. Ask
// the user before leaving out rows.
inline constexpr double kMostFlagged = 0.1;

// Returns the sweep without its flagged rows, with repeated points averaged.
Sweep trusted_rows(const Sweep& sweep, const QualityReport& report);

}  // namespace ridgewatt
