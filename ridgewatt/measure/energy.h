// Energy from power samples: the integral of power over the samples' own time stamps by the
// trapezoid rule, never a count times a nominal interval, with a bound on its error.
#pragma once

#include <cstddef>
#include <span>

namespace ridgewatt::measure {

struct EnergyEstimate {
  double energy_j = 0;
  // Bound on the error of sampling. Between two samples a power that moves monotonically makes an
  // error of at most |P1 - P0| h / 2; where the neighbors move faster (a peak between two samples)
  // half of their mean step is taken instead. What rises and falls within one interval is not seen
  // by any sampler, and the sensor's own accuracy is not in it.
  double error_j = 0;
  double duration_s = 0;
  double mean_w = 0;
  double peak_w = 0;
  std::size_t samples = 0;  // used, inside the window
  std::size_t missing = 0;  // without a value
  double mean_interval_s = 0;
  double largest_gap_s = 0;  // between valid samples, or between one and an end of the window
};

// Energy in [begin_s, end_s]. Times ascend strictly; NaN powers are missing samples. The samples
// next to the window serve to interpolate at its ends; where there is none the nearest value is
// held and the whole range of the samples counts as error there. Throws UsageError on an empty
// window, unequal sizes or times that do not ascend; without a valid sample NotSupportedError.
EnergyEstimate integrate_power(std::span<const double> times_s, std::span<const double> powers_w,
                               double begin_s, double end_s);

struct EnergySum {
  double energy_j = 0;
  double error_j = 0;  // bound, as above
};

// integrate_power of samples as they come, in memory that does not grow:
//
//   EnergyIntegral window(begin_s);
//   window.add(time_s, power_w);          // for each sample
//   window.sum();                         // until the newest; neither part ever goes down
//   window.end(end_s);                    // once it is over
//
// When all samples are in, sum is integrate_power(samples, begin_s, end_s) to rounding.
class EnergyIntegral {
 public:
  static constexpr double kNone = 1e300;
  // Without `begin_s` the first valid sample begins it. Over an interval longer than `gap_s`, in
  // which the sensor was silent, the whole range of powers seen so far counts as error.
  explicit EnergyIntegral(double begin_s = kNone, double gap_s = kNone)
      : begin_s_(begin_s), gap_s_(gap_s) {}
  // Times ascend strictly; a power that is not finite is left out.
  void add(double time_s, double power_w);
  // Not before the newest sample.
  void end(double end_s) { end_s_ = end_s; }
  // Two samples came at the end or after it: what is said will not change.
  bool settled() const { return after_end_ >= 2; }
  bool empty() const { return !any_; }
  double newest_s() const { return last_s_; }  // of the valid samples

  // Until the newest valid sample, or the end when it lies before.
  EnergySum sum() const;
  // Until `now_s` or the end: after the newest sample its power is held, as integrate_power does.
  EnergySum until(double now_s) const;

 private:
  struct Interval {
    double step_w = 0;
    double before_w = -1;  // step of the interval before; negative: there is none
    double part_s = 0;     // of the interval, inside the window, for the error
    double gap_s = 0;      // the same of a gap
    double range_w = 0;    // of the powers until then
    double error_j(double next_step_w) const;
  };

  double begin_s_, gap_s_;
  double end_s_ = kNone;
  bool any_ = false;
  double last_s_ = 0, last_w_ = 0;
  double low_w_ = 0, high_w_ = 0;
  double held_s_ = 0;  // between the beginning and the first sample
  double energy_j_ = 0, error_j_ = 0;
  bool pending_ = false;
  Interval newest_;  // its error depends on the next sample too
  int after_end_ = 0;
};

}  // namespace ridgewatt::measure
