// Power over time of one channel: a rail as it was sampled, the module's total, or an external
// meter's log.
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
  std::vector<double> powers_w;  // NaN: no value

  // Energy of a window; nothing when the window is empty or no sample is valid.
  std::optional<EnergyEstimate> energy(double begin_s, double end_s) const;
};

// A trace whose powers are means since the value before, as the steps that they are: integrals of
// it by trapezoids are differences of the counter, however uneven the samples. Samples without a
// value lie in the mean of the next one that has one.
PowerTrace as_steps(const PowerTrace& means);
// Whether one of the first `channels` has a value.
bool has_value(const PowerSample& sample, std::size_t channels);
// One trace per channel.
std::vector<PowerTrace> traces_of(const std::vector<PowerSample>& samples,
                                  const std::vector<platform::PowerSource::Channel>& channels);
// The same of a source, whose means become steps.
std::vector<PowerTrace> traces_of(const std::vector<PowerSample>& samples,
                                  const platform::PowerSource& source);
// The sum of the traces in the total, which share their times; empty when there is none.
PowerTrace total_of(const std::vector<PowerTrace>& traces);

// An external meter's log: CSV with `time_s` (CLOCK_MONOTONIC of this machine) or `unix_s`, and
// `power_w`, or `voltage_v` and `current_a`. A last line that is still being written is left out.
// Throws InputError also when the log has no sample in [begin_s, end_s].
PowerTrace read_meter(const std::string& path, double begin_s, double end_s);

// Many windows of one trace in one pass; 0 where there is no valid sample at all. A window between
// two samples gets its share by interpolation.
class PowerIntegral {
 public:
  explicit PowerIntegral(const PowerTrace& trace);
  double energy_j(double begin_s, double end_s) const { return until(end_s) - until(begin_s); }

 private:
  double until(double time_s) const;  // energy since the first sample; the ends are held

  std::vector<double> times_s_;
  std::vector<double> powers_w_;
  std::vector<double> energies_j_;
};

}  // namespace ridgewatt::measure
