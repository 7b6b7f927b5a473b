// Power over time of one channel: a measured rail, the total of the module, or the log of an
// external meter.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/measure/energy.h"
#include "ridgewatt/measure/sampler.h"

namespace ridgewatt::measure {

struct PowerTrace {
  std::string name;
  bool in_total = false;
  std::vector<double> times_s;   // CLOCK_MONOTONIC, ascending
  std::vector<double> powers_w;  // NaN: no valid value

  // Energy of a window; empty if the window is empty or no sample is valid. The bound on its error
  // is kUnknownBound if fewer than two samples are in the window, because the power between samples
  // is unknown.
  std::optional<EnergyEstimate> energy(double begin_s, double end_s) const;
  // Mean power of a window, only from samples inside it. Empty without such a sample.
  std::optional<double> mean_w_within(double begin_s, double end_s) const;
};

// Converts a trace whose powers are means since the previous sample to a step function. Its
// integral by the trapezoid rule equals the difference of the energy counter, even for uneven
// intervals. A sample without a value gets the mean of the next sample that has one.
PowerTrace as_steps(const PowerTrace& means);
// Whether one of the first `channels` values is finite.
bool has_value(const PowerSample& sample, std::size_t channels);
// One trace per channel.
std::vector<PowerTrace> traces_of(const std::vector<PowerSample>& samples,
                                  const std::vector<platform::PowerSource::Channel>& channels);
// One trace per channel of `source`. If its powers are means, the traces are step functions.
std::vector<PowerTrace> traces_of(const std::vector<PowerSample>& samples,
                                  const platform::PowerSource& source);
// Returns the sum of the traces with in_total, all with the same times. Empty without such traces.
PowerTrace total_of(const std::vector<PowerTrace>& traces);

// Reads the log of an external meter: CSV with `time_s` (CLOCK_MONOTONIC of this machine) or
// `unix_s`, and `power_w`, or `voltage_v` and `current_a`. An incomplete last line is ignored.
// Throws IoError, and InputError for a damaged log or without a sample in [begin_s, end_s].
PowerTrace read_meter(const std::string& path, double begin_s, double end_s);

// Computes the energy of windows of one trace, each in logarithmic time. For a window between two
// samples, energy is interpolated linearly. All energies are 0 if no sample is valid.
class PowerIntegral {
 public:
  explicit PowerIntegral(const PowerTrace& trace);
  double energy_j(double begin_s, double end_s) const { return until(end_s) - until(begin_s); }

 private:
  // Energy since the first sample. Power is constant before the first and after the last one.
  double until(double time_s) const;

  std::vector<double> times_s_;
  std::vector<double> powers_w_;
  std::vector<double> energies_j_;
};

}  // namespace ridgewatt::measure
