#include "ridgewatt/measure/power_trace.h"

#include <time.h>

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/io/csv.h"
#include "ridgewatt/io/file.h"

namespace ridgewatt::measure {

std::optional<EnergyEstimate> PowerTrace::energy(double begin_s, double end_s) const {
  const bool any =
      std::any_of(powers_w.begin(), powers_w.end(), [](double w) { return std::isfinite(w); });
  if (!any || end_s <= begin_s) return std::nullopt;
  EnergyEstimate energy = integrate_power(times_s, powers_w, begin_s, end_s);
  if (energy.samples < 2) energy.error_j = kUnknownBound;
  return energy;
}

std::optional<double> PowerTrace::mean_w_within(double begin_s, double end_s) const {
  for (std::size_t i = times_s.size(); i-- > 0 && times_s[i] > begin_s;) {
    if (times_s[i] <= end_s && std::isfinite(powers_w[i]))
      return energy(begin_s, times_s[i])->mean_w;
  }
  return std::nullopt;
}

PowerTrace as_steps(const PowerTrace& means) {
  std::vector<double> powers_w = means.powers_w;
  for (std::size_t i = powers_w.size(); i-- > 2;) {
    if (!std::isfinite(powers_w[i - 1])) powers_w[i - 1] = powers_w[i];
  }
  PowerTrace steps{means.name, means.in_total, {}, {}};
  for (std::size_t i = 0; i < means.times_s.size(); ++i) {
    if (i > 0) {
      steps.times_s.push_back(std::nextafter(means.times_s[i - 1], means.times_s[i]));
      steps.powers_w.push_back(powers_w[i]);
    }
    steps.times_s.push_back(means.times_s[i]);
    steps.powers_w.push_back(powers_w[i]);
  }
  return steps;
}

bool has_value(const PowerSample& sample, std::size_t channels) {
  return std::any_of(sample.power_w.begin(),
                     sample.power_w.begin() + static_cast<std::ptrdiff_t>(channels),
                     [](double power_w) { return std::isfinite(power_w); });
}

std::vector<PowerTrace> traces_of(const std::vector<PowerSample>& samples,
                                  const std::vector<platform::PowerSource::Channel>& channels) {
  std::vector<PowerTrace> traces;
  for (std::size_t c = 0; c < channels.size(); ++c) {
    PowerTrace trace{channels[c].name, channels[c].in_total, {}, {}};
    for (const auto& sample : samples) {
      trace.times_s.push_back(sample.time_s);
      trace.powers_w.push_back(sample.power_w[c]);
    }
    traces.push_back(std::move(trace));
  }
  return traces;
}

std::vector<PowerTrace> traces_of(const std::vector<PowerSample>& samples,
                                  const platform::PowerSource& source) {
  const auto& channels = source.channels();
  if (!source.tells_means()) return traces_of(samples, channels);
  std::vector<PowerSample> known;  // the first sample only begins the first mean
  for (const auto& sample : samples) {
    if (known.empty() || has_value(sample, channels.size())) known.push_back(sample);
  }
  auto traces = traces_of(known, channels);
  for (auto& trace : traces) trace = as_steps(trace);
  return traces;
}

PowerTrace total_of(const std::vector<PowerTrace>& traces) {
  PowerTrace total{"total", true, {}, {}};
  const auto first = std::find_if(traces.begin(), traces.end(),
                                  [](const PowerTrace& trace) { return trace.in_total; });
  if (first == traces.end()) return total;
  total.times_s = first->times_s;
  for (std::size_t i = 0; i < total.times_s.size(); ++i) {
    const auto at_i = [&](std::size_t t) { return traces[t].powers_w[i]; };
    total.powers_w.push_back(*platform::total_power_w(traces, at_i));
  }
  return total;
}

namespace {

double unix_minus_monotonic_s() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9 - monotonic_s();
}

}  // namespace

PowerTrace read_meter(const std::string& path, double begin_s, double end_s) {
  std::string text = read_file(path);
  text.resize(text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1);
  const CsvTable table = parse_csv(text, path);
  const bool monotonic = table.column("time_s").has_value();
  if (!monotonic && !table.column("unix_s")) {
    throw InputError("has no column of times", path, "name it time_s (monotonic) or unix_s");
  }
  const std::size_t time = table.require_column(monotonic ? "time_s" : "unix_s");
  const double offset_s = monotonic ? 0 : unix_minus_monotonic_s();
  const auto power = table.column("power_w");
  const std::size_t first = power ? *power : table.require_column("voltage_v");
  const std::size_t second = power ? *power : table.require_column("current_a");
  PowerTrace trace{"meter", false, {}, {}};
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const double time_s = table.number(row, time) - offset_s;
    if (!trace.times_s.empty() && !(time_s > trace.times_s.back())) {
      throw InputError("the times of the meter are not in ascending order", table.where(row));
    }
    trace.times_s.push_back(time_s);
    trace.powers_w.push_back(table.number(row, first) * (power ? 1 : table.number(row, second)));
  }
  if (std::none_of(trace.times_s.begin(), trace.times_s.end(),
                   [&](double t) { return t >= begin_s && t <= end_s; })) {
    throw InputError(
        "the file of the meter has no sample from the time of the run", path,
        "column time_s must be CLOCK_MONOTONIC in s, or column unix_s the time since 1970 in s");
  }
  return trace;
}

PowerIntegral::PowerIntegral(const PowerTrace& trace) {
  for (std::size_t i = 0; i < trace.times_s.size(); ++i) {
    if (!std::isfinite(trace.powers_w[i])) continue;
    const double step_j = times_s_.empty() ? 0
                                           : (powers_w_.back() + trace.powers_w[i]) / 2 *
                                                 (trace.times_s[i] - times_s_.back());
    energies_j_.push_back(energies_j_.empty() ? 0 : energies_j_.back() + step_j);
    times_s_.push_back(trace.times_s[i]);
    powers_w_.push_back(trace.powers_w[i]);
  }
}

double PowerIntegral::until(double time_s) const {
  if (times_s_.empty()) return 0;
  const auto next = std::upper_bound(times_s_.begin(), times_s_.end(), time_s);
  if (next == times_s_.begin()) return (time_s - times_s_.front()) * powers_w_.front();
  const auto i = static_cast<std::size_t>(next - times_s_.begin()) - 1;
  const double since_s = time_s - times_s_[i];
  double slope = 0;
  if (i + 1 < times_s_.size()) {
    slope = (powers_w_[i + 1] - powers_w_[i]) / (times_s_[i + 1] - times_s_[i]);
  }
  return energies_j_[i] + (powers_w_[i] + slope * since_s / 2) * since_s;
}

}  // namespace ridgewatt::measure
