#include "ridgewatt/sweep/quality.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "ridgewatt/base/parallel.h"
#include "ridgewatt/base/sort.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/sweep/neighbors.h"

namespace ridgewatt {
namespace {

constexpr int kRounds = 20;
// In sweeps with more rows than this, flagged rows are removed before the other rows are compared,
// and there are fewer rounds.
constexpr std::size_t kManyRows = 100'000;
constexpr std::size_t kRowRounds = 2'000'000;

class Checker {
 public:
  Checker(const Sweep& sweep, const QualityOptions& options)
      : sweep_(sweep), options_(options), rows_(sweep.observations.size()) {
    report_.flagged.assign(rows_, false);
    for (const auto& observation : sweep.observations) {
      log_time_.push_back(std::log(observation.time_s));
      log_power_.push_back(std::log(observation.power_w));
    }
  }

  QualityReport run() {
    check_units();
    check_knobs();
    check_energy();
    remark_on_repeats();
    if (rows_ > kManyRows && report_.flagged_rows() > 0)
      check_others();
    else
      check_neighbors();
    sort_stably(report_.flags,
                [](const QualityFlag& a, const QualityFlag& b) { return a.row < b.row; });
    return std::move(report_);
  }

 private:
  void flag(std::size_t row, Fault fault, std::string detail) {
    report_.flagged[row] = true;
    const std::size_t line = row < sweep_.lines.size() ? sweep_.lines[row] : 0;
    report_.flags.push_back({row, line, fault, std::move(detail)});
  }

  void check_units();
  void check_knobs();
  void check_energy();
  void remark_on_repeats();
  void check_others();
  void check_neighbors();
  double threshold(const std::vector<double>& deviations, double least) const;
  bool worst_of_its_neighbors(std::size_t row, const std::vector<double>& badness) const;
  void check_monotonicity(const std::vector<double>& time_deviation);
  void explain(std::size_t row, double time_deviation, double power_deviation, double time_limit,
               double power_limit);

  const Sweep& sweep_;
  const QualityOptions& options_;
  std::size_t rows_;
  std::optional<NeighborLines> lines_;  // set when rows are compared
  std::vector<double> log_time_, log_power_;
  QualityReport report_;
};

void Checker::check_units() {
  struct Range {
    Knob knob;
    double lo, hi;  // plausible, SI
  };
  // No processor core has run above 10 GHz and none of these knobs goes below 10 MHz.
  static constexpr Range kRanges[] = {{Knob::kCpuCores, 1, 1024},
                                      {Knob::kCpuClock, 10e6, 10e9},
                                      {Knob::kGpuClock, 10e6, 10e9},
                                      {Knob::kMemClock, 10e6, 20e9}};
  for (std::size_t row = 0; row < rows_; ++row) {
    const Observation& observation = sweep_.observations[row];
    for (const auto& [knob, lo, hi] : kRanges) {
      const double value = observation.point.mode.get(knob);
      if (value == 0 || (value >= lo && value <= hi)) continue;
      const double shown = knob_in_field_unit(observation.point.mode, knob);
      const char* guess = "out of range";
      if (knob != Knob::kCpuCores) {
        guess = value > 1e13   ? "looks like Hz, but must be in MHz"
                : value > hi   ? "looks like kHz, but must be in MHz"
                : value < 20e3 ? "looks like GHz, but must be in MHz"
                               : "out of range";
      }
      flag(row, Fault::kUnit, fmt::format("{} {} {}", knob_field(knob), shown, guess));
    }
    if (observation.power_w > 2500) {
      flag(row, Fault::kUnit,
           fmt::format("power_w {} looks like mW, but must be in W", observation.power_w));
    } else if (observation.power_w < 0.05) {
      flag(row, Fault::kUnit,
           fmt::format("power_w {} looks like kW, but must be in W", observation.power_w));
    }
  }
  if (rows_ == 0) return;
  std::vector<double> times;
  for (const auto& observation : sweep_.observations) times.push_back(observation.time_s);
  const double typical_s = median(times);
  if (typical_s < 20e-6) {
    report_.remarks.push_back(fmt::format(
        "the median time_ms is {:.3g}: looks like seconds, but must be in ms", typical_s * 1e3));
  } else if (typical_s > 600) {
    report_.remarks.push_back(fmt::format(
        "the median time_ms is {:.3g}: looks like us or ns, but must be in ms", typical_s * 1e3));
  }
}

void Checker::check_knobs() {
  for (const PointAxis axis : kPointAxes) {
    const std::string_view field = axis_field(axis);
    std::size_t present = 0;
    std::vector<double> values;
    for (const auto& observation : sweep_.observations) {
      const double value = axis_value(observation.point, axis);
      present += value > 0;
      values.push_back(value);
    }
    if (present == 0) {
      if (axis != PointAxis::kBatch) {
        report_.remarks.push_back(
            fmt::format("the sweep has no column {}: it is assumed to be constant", field));
      }
      continue;
    }
    for (std::size_t row = 0; row < rows_; ++row) {
      const bool governed = !sweep_.observations[row].point.mode.governor.empty();
      if (values[row] == 0 && !governed) {
        flag(row, Fault::kMissingKnob, fmt::format("no {}", field));
      }
    }
    if (rows_ > 1 && std::all_of(values.begin(), values.end(),
                                 [&](double value) { return value == values.front(); })) {
      report_.remarks.push_back(fmt::format("{} is the same in every row", field));
    }
  }
}

void Checker::check_energy() {
  const auto ratio = [&](std::size_t row) {
    const Observation& seen = sweep_.observations[row];
    return seen.energy_j() / (seen.power_w * seen.time_s);
  };
  std::vector<double> ratios;
  for (std::size_t row = 0; row < rows_; ++row) {
    if (sweep_.observations[row].measured_energy_j) ratios.push_back(ratio(row));
  }
  const EnergyCount count(std::move(ratios), options_.energy_deviation);
  if (auto remark = count.remark(); !remark.empty()) report_.remarks.push_back(std::move(remark));
  for (std::size_t row = 0; row < rows_; ++row) {
    const Observation& seen = sweep_.observations[row];
    if (!seen.measured_energy_j || count.plausible(ratio(row))) continue;
    flag(row, Fault::kEnergy,
         fmt::format("energy_j {:.4g} where power_w times time_ms is {:.4g} J",
                     *seen.measured_energy_j, seen.power_w * seen.time_s));
  }
}

void Checker::remark_on_repeats() {
  const std::size_t repeats = rows_ - average_repeats(sweep_).observations.size();
  if (repeats == 0) return;
  report_.remarks.push_back(
      fmt::format("{} {} an operating point of an earlier row; such rows are averaged", repeats,
                  repeats == 1 ? "row repeats" : "rows repeat"));
}

double Checker::threshold(const std::vector<double>& deviations, double least) const {
  std::vector<double> trusted;
  for (std::size_t row = 0; row < rows_; ++row) {
    if (!report_.flagged[row]) trusted.push_back(deviations[row]);
  }
  if (trusted.empty()) return least;
  return std::max(least, options_.sigmas * median_absolute_deviation(trusted));
}

bool Checker::worst_of_its_neighbors(std::size_t row, const std::vector<double>& badness) const {
  for (std::size_t d = 0; d < lines_->axes().size(); ++d) {
    const auto& [begin, end, position, level_begin, level_end] = lines_->place(d, row);
    for (std::size_t i = std::max(begin, position - std::min<std::size_t>(position, 2));
         i < std::min(end, position + 3); ++i) {
      const std::size_t other = lines_->order(d)[i];
      if (other != row && badness[other] > badness[row]) return false;
    }
  }
  return true;
}

// Compares the rows that are not flagged yet, as a separate sweep.
void Checker::check_others() {
  Sweep others = sweep_.without_rows();
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < rows_; ++row) {
    if (report_.flagged[row]) continue;
    rows.push_back(row);
    others.observations.push_back(sweep_.observations[row]);
  }
  Checker checker(others, options_);
  checker.check_neighbors();
  for (auto& found : checker.report_.flags) {
    flag(rows[found.row], found.fault, std::move(found.detail));
  }
}

void Checker::check_neighbors() {
  if (rows_ < 8) return;
  lines_.emplace(sweep_.observations);
  if (lines_->axes().empty()) return;
  std::vector<bool> trusted(rows_);
  for (std::size_t row = 0; row < rows_; ++row) trusted[row] = !report_.flagged[row];
  const std::vector<bool> eligible = trusted;
  std::vector<double> time_deviation, power_deviation;
  double time_limit = 0, power_limit = 0;
  const std::size_t rounds =
      rows_ > kManyRows ? std::clamp<std::size_t>(kRowRounds / rows_, 1, kRounds) : kRounds;
  for (std::size_t round = 0; round < rounds; ++round) {
    parallel_for(2, [&](std::size_t i) {
      auto& deviation = i == 0 ? time_deviation : power_deviation;
      deviation = i == 0 ? neighbor_deviations(*lines_, log_time_, trusted, kTimeSlopes)
                         : neighbor_deviations(*lines_, log_power_, trusted, kPowerSlopes);
    });
    time_limit = threshold(time_deviation, options_.time_deviation);
    power_limit = threshold(power_deviation, options_.power_deviation);
    std::vector<double> badness(rows_, 0);
    for (std::size_t row = 0; row < rows_; ++row) {
      if (!trusted[row]) continue;
      badness[row] = std::max(std::abs(time_deviation[row]) / time_limit,
                              std::abs(power_deviation[row]) / power_limit);
    }
    bool changed = false;
    for (std::size_t row = 0; row < rows_; ++row) {
      if (badness[row] > 1 && worst_of_its_neighbors(row, badness)) {
        trusted[row] = false;
        changed = true;
      }
    }
    if (!changed) break;
  }
  for (std::size_t row = 0; row < rows_; ++row) {
    if (!eligible[row]) continue;
    explain(row, time_deviation[row], power_deviation[row], time_limit, power_limit);
  }
  check_monotonicity(time_deviation);
}

void Checker::explain(std::size_t row, double time_deviation, double power_deviation,
                      double time_limit, double power_limit) {
  const Observation& observation = sweep_.observations[row];
  const bool time_off = std::abs(time_deviation) > time_limit;
  const bool power_off = std::abs(power_deviation) > power_limit;
  if (time_off && std::abs(power_deviation) > power_limit / 2 &&
      std::signbit(time_deviation) != std::signbit(power_deviation)) {
    flag(row, Fault::kClockNotApplied,
         fmt::format("{:.4g} ms and {:.4g} W where the neighbors predict {:.4g} ms and {:.4g} W: "
                     "as if a {} clock had been set",
                     observation.time_s * 1e3, observation.power_w,
                     observation.time_s * 1e3 * std::exp(-time_deviation),
                     observation.power_w * std::exp(-power_deviation),
                     time_deviation < 0 ? "higher" : "lower"));
    return;
  }
  if (time_off) {
    flag(row, Fault::kTimeOutlier,
         fmt::format("{:.4g} ms where the neighbors predict {:.4g} ms", observation.time_s * 1e3,
                     observation.time_s * 1e3 * std::exp(-time_deviation)));
  }
  if (power_off) {
    flag(row, Fault::kPowerOutlier,
         fmt::format("{:.4g} W where the neighbors predict {:.4g} W", observation.power_w,
                     observation.power_w * std::exp(-power_deviation)));
  }
}

void Checker::check_monotonicity(const std::vector<double>& time_deviation) {
  const double limit = std::log(options_.monotonic_factor);
  const std::vector<bool> earlier = report_.flagged;
  for (std::size_t d = 0; d < lines_->axes().size(); ++d) {
    const PointAxis axis = lines_->axes()[d];
    if (axis != PointAxis::kCpuClock && axis != PointAxis::kGpuClock) continue;
    for (std::size_t row = 0; row < rows_; ++row) {
      const auto& [begin, end, position, level_begin, level_end] = lines_->place(d, row);
      if (position == begin) continue;
      const std::size_t lower = lines_->order(d)[position - 1];
      if (lines_->level(d, lower) == lines_->level(d, row)) continue;
      const double rise = log_time_[row] - log_time_[lower];
      if (rise <= limit || earlier[row] || earlier[lower]) continue;
      // Only other neighbors can show which of the two is wrong.
      if (time_deviation[row] == 0 && time_deviation[lower] == 0) continue;
      const bool row_is_slow = time_deviation[row] >= -time_deviation[lower];
      const double factor = std::exp(rise);
      const std::string_view field = axis_field(axis);
      if (row_is_slow) {
        flag(row, Fault::kNotMonotonic,
             fmt::format("{:.2f} times as slow as at the next lower {}", factor, field));
      } else {
        flag(lower, Fault::kNotMonotonic,
             fmt::format("{:.2f} times as fast as at the next higher {}", factor, field));
      }
    }
  }
}

}  // namespace

EnergyCount::EnergyCount(std::vector<double> ratios, double deviation) : deviation_(deviation) {
  constexpr double kMostRatio = 1.5;  // chosen: beyond it the unit is wrong
  if (ratios.empty()) return;
  const double usual = median(std::move(ratios));
  if (usual <= kMostRatio && usual >= 1 / kMostRatio) usual_ = usual;
}

bool EnergyCount::plausible(double ratio) const {
  return std::abs(ratio - 1) <= deviation_ || std::abs(ratio / usual_ - 1) <= deviation_;
}

std::string EnergyCount::remark() const {
  if (std::abs(usual_ - 1) <= deviation_) return "";
  return fmt::format("energy_j is {:.3g} times power_w times time_ms in the median row", usual_);
}

std::size_t QualityReport::flagged_rows() const {
  return static_cast<std::size_t>(std::count(flagged.begin(), flagged.end(), true));
}

double QualityReport::flagged_share() const {
  return flagged.empty()
             ? 0
             : static_cast<double>(flagged_rows()) / static_cast<double>(flagged.size());
}

QualityReport check_quality(const Sweep& sweep, const QualityOptions& options) {
  return Checker(sweep, options).run();
}

Sweep trusted_rows(const Sweep& sweep, const QualityReport& report) {
  Sweep result = sweep.without_rows();
  for (std::size_t row = 0; row < sweep.observations.size(); ++row) {
    if (report.flagged[row]) continue;
    result.add_row(sweep, row);
  }
  return average_repeats(std::move(result));
}

}  // namespace ridgewatt
