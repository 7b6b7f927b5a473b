// Energy from power samples: the integral of power over the time stamps by the trapezoid rule, with
// a bound on its error.
#pragma once

#include <cstddef>
#include <limits>
#include <span>

namespace ridgewatt::measure {

constexpr double kUnknownBound = std::numeric_limits<double>::infinity();
// Two samples that are closer than this are the ends of a step (as_steps()) and count as one.
constexpr double kStepS = 1e-9;

struct EnergyEstimate {
  double energy_j = 0;
  // Bound on the sampling error. Between two samples, monotonic power gives an error of at most |P1
  // - P0| h / 2. If power changes faster in the neighboring intervals (a peak between two samples),
  // half of the mean step of these intervals replaces |P1 - P0|. A pulse within one interval is
  // invisible to any sampler. The accuracy of the sensor is not included. kUnknownBound: fewer
  // than two samples have a value.
  double error_j = 0;
  double duration_s = 0;
  double mean_w = 0;
  double peak_w = 0;
  std::size_t samples = 0;  // valid, inside the window
  std::size_t missing = 0;  // without a value, inside the window
  double mean_interval_s = 0;
  double largest_gap_s = 0;  // between valid samples, or to an end of the window
};

// Energy in [begin_s, end_s]. Times must be strictly ascending; NaN powers are missing samples.
// Power at the ends of the window is interpolated with the samples outside it. Without such a
// sample, the nearest value is extended, and the error there is the whole range of the samples.
// Throws UsageError for an empty window, unequal sizes or times that do not ascend, and
// NotSupportedError if no sample is valid.
EnergyEstimate integrate_power(std::span<const double> times_s, std::span<const double> powers_w,
                               double begin_s, double end_s);

struct EnergySum {
  double energy_j = 0;
  double error_j = 0;  // bound, like EnergyEstimate::error_j
};

// Like integrate_power, but for a stream of samples in constant memory:
//
//   EnergyIntegral window(begin_s);
//   window.add(time_s, power_w);          // for each sample
//   window.sum();                         // until the newest sample; never decreases
//   window.end(end_s);                    // when the window is over
//
// After all samples, sum() equals PowerTrace::energy(begin_s, end_s) up to rounding. With fewer
// than two samples in the window, the bound is kUnknownBound.
class EnergyIntegral {
 public:
  static constexpr double kNone = 1e300;
  // Without `begin_s`, the first valid sample begins the window. In a gap between samples of more
  // than `gap_s`, the error is the whole range of powers so far.
  explicit EnergyIntegral(double begin_s = kNone, double gap_s = kNone)
      : begin_s_(begin_s), gap_s_(gap_s) {}
  // Times must be strictly ascending. A power that is not finite is ignored.
  void add(double time_s, double power_w);
  // Sets the end, which must not be before the newest sample.
  void end(double end_s) { end_s_ = end_s; }
  // Whether two samples at or after the end have arrived. Then sum() no longer changes.
  bool settled() const { return after_end_ >= 2; }
  bool empty() const { return !any_; }
  double newest_s() const { return last_s_; }  // of valid samples

  // Returns the sum until the newest valid sample or the end, whichever is earlier.
  EnergySum sum() const;
  // Returns the sum until `now_s` or the end. Assumes constant power after the newest sample, as in
  // integrate_power.
  EnergySum until(double now_s) const;

 private:
  struct Interval {
    double step_w = 0;
    double before_w = -1;  // step of the previous interval; negative: there is none
    double part_s = 0;     // part of the interval inside the window
    double gap_s = 0;      // like part_s, if the interval is longer than gap_s
    double range_w = 0;    // range of all powers until then
    double error_j(double next_step_w) const;
  };

  double begin_s_, gap_s_;
  double end_s_ = kNone;
  bool any_ = false;
  double last_s_ = 0, last_w_ = 0;
  double low_w_ = 0, high_w_ = 0;
  double held_s_ = 0;  // between begin_s and the first sample
  double energy_j_ = 0, error_j_ = 0;
  bool pending_ = false;
  Interval newest_;  // its error depends on the next sample
  int after_end_ = 0;
  std::size_t inside_ = 0;  // samples in the window; the two ends of a step are one sample
};

}  // namespace ridgewatt::measure
