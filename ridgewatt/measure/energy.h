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

}  // namespace ridgewatt::measure
