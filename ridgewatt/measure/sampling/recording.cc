#include "ridgewatt/measure/sampling/recording.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>
#include <utility>

#include "ridgewatt/base/statistics.h"

namespace ridgewatt::measure {
namespace {

void add_energies(const std::vector<PowerTrace>& traces, const PowerTrace& total,
                  double idle_begin_s, Measurement& result) {
  for (const auto& trace : traces) {
    const auto found = trace.energy(result.begin_s, result.end_s);
    if (found) result.channels.push_back({trace.name, trace.in_total, *found});
  }
  result.total = total.energy(result.begin_s, result.end_s);
  if (idle_begin_s > 0) result.idle_w = total.mean_w_within(idle_begin_s, result.begin_s);
}

std::size_t samples_within(const PowerTrace& trace, double begin_s, double end_s) {
  const auto energy = trace.energy(begin_s, end_s);
  return energy ? energy->samples : 0;
}

void add_minibatches(const PowerTrace& total, MinibatchWindow window, bool asked,
                     Measurement& result) {
  auto& summary = result.summary;
  summary.complete = window.complete || !asked;
  const PowerIntegral energy(total);
  std::vector<double> times, energies;
  double fetch_s = 0;
  for (auto& minibatch : window.minibatches) {
    minibatch.energy_j = energy.energy_j(minibatch.begin_s, minibatch.end_s);
    if (!minibatch.excluded.empty()) {
      ++summary.excluded;
      ++summary.causes[minibatch.excluded];
      continue;
    }
    summary.slow += minibatch.slow ? 1 : 0;
    times.push_back(minibatch.time_s());
    energies.push_back(minibatch.energy_j);
    fetch_s += minibatch.fetch_s;
  }
  result.minibatches = std::move(window.minibatches);
  summary.count = times.size();
  if (times.empty()) return;
  const auto time = batch_means_interval(times);
  auto joules = batch_means_interval(energies);
  const auto& all = result.minibatches;
  if (samples_within(total, all.front().begin_s, all.back().end_s) < 2) joules.lo = -kUnknownBound;
  if (!std::isfinite(joules.lo)) joules.hi = kUnknownBound;
  summary.time_s = time.mean, summary.time_lo_s = time.lo, summary.time_hi_s = time.hi;
  summary.energy_j = joules.mean, summary.energy_lo_j = joules.lo, summary.energy_hi_j = joules.hi;
  summary.power_w = joules.mean / time.mean;
  summary.fetch_s = fetch_s / static_cast<double>(times.size());
  summary.median_s = median(times);
  summary.lower_quartile_s = quantile(times, 0.25);
  summary.upper_quartile_s = quantile(times, 0.75);
}

// Finds gaps without power values: longer than ten usual intervals and longer than a second.
void add_counter_gaps(const PowerTrace& total, const Measurement& result,
                      std::vector<Disturbance>& disturbances) {
  static constexpr double kIntervals = 10, kLeastS = 1;
  std::vector<double> times, steps;
  for (std::size_t i = 0; i < total.times_s.size(); ++i) {
    if (std::isfinite(total.powers_w[i])) times.push_back(total.times_s[i]);
    if (times.size() > 1) steps.push_back(times.back() - times[times.size() - 2]);
  }
  if (steps.empty()) return;
  const double limit_s = std::max(kLeastS, kIntervals * median(steps));
  times.insert(times.begin(), std::min(result.begin_s, times.front()));
  times.push_back(std::max(result.end_s, times.back()));
  for (std::size_t i = 1; i < times.size(); ++i) {
    if (times[i] - times[i - 1] > limit_s) {
      disturbances.push_back({"counter gap", times[i - 1], times[i]});
    }
  }
}

void add_series(const MachineSeries& series, Measurement& result) {
  result.series = series.samples();
  result.throttled = series.throttled();
  const bool marked = !result.minibatches.empty();
  result.series_summary =
      summarize_series(result.series, marked ? result.minibatches.front().begin_s : result.begin_s,
                       marked ? result.minibatches.back().end_s : result.end_s);
}

}  // namespace

Recording::Recording(const platform::Sysfs& sysfs, platform::PowerMeter& meter,
                     const MeasureOptions& options)
    : sysfs_(sysfs),
      options_(options),
      source_(meter.source()),
      description_(meter.description()),
      rate_hz_(meter.usable_rate_hz(options.rate_hz)),
      sampling_s_(monotonic_s()),
      power_(source_ != nullptr && source_->tells_means(),
             source_ == nullptr ? 0 : source_->channels().size()),
      layout_(platform::find_jetson_layout(sysfs)) {
  Sampler::Options sampler;
  sampler.rate_hz = rate_hz_;
  if (source_ != nullptr) sampler_ = std::make_unique<Sampler>(*source_, sampler);
}

void Recording::begin() {
  series_ = std::make_unique<MachineSeries>(sysfs_, options_.series_rate_hz);
  clocks_before_ = platform::read_clock_times(sysfs_, layout_);
  disks_before_ = read_disk_io(sysfs_);
}

void Recording::drain() {
  if (!sampler_) return;
  sampler_->drain(power_.incoming());
  power_.settle();
}

void Recording::stop() {
  if (series_) {
    clocks_after_ = platform::read_clock_times(sysfs_, layout_);
    disks_after_ = read_disk_io(sysfs_);
    series_->stop();
  }
  if (!sampler_) return;
  const double wait_s = 1.5 / rate_hz_ + source_->interval_s();
  std::this_thread::sleep_for(std::chrono::duration<double>(wait_s));
  sampler_->stop();
  stopped_s_ = monotonic_s();
  drain();
}

std::vector<PowerTrace> Recording::traces(const std::vector<PowerSample>& samples) const {
  return source_ == nullptr ? std::vector<PowerTrace>{} : traces_of(samples, *source_);
}

std::optional<EnergyEstimate> Recording::energy(double begin_s, double end_s) const {
  return total_of(traces(power_.between(begin_s, end_s))).energy(begin_s, end_s);
}

void Recording::add_meter(Measurement& result, std::vector<PowerTrace>& traces) const {
  if (options_.meter.empty()) return;
  auto meter = read_meter(options_.meter, result.begin_s, result.end_s);
  if (options_.meter_is_total || source_ == nullptr) {
    for (auto& trace : traces) trace.in_total = false;
    meter.in_total = true;
    result.source = "external meter " + options_.meter;
  }
  traces.push_back(std::move(meter));
}

void Recording::add_windows(const std::vector<TimedMark>& marks, WindowOptions window, bool steady,
                            const PowerTrace& total, Measurement& result) {
  auto disturbances = series_->disturbances();
  add_counter_gaps(total, result, disturbances);
  result.summary.steady = steady;
  result.minibatch_marks =
      static_cast<std::size_t>(std::count_if(marks.begin(), marks.end(), [](const TimedMark& mark) {
        return mark.kind == TimedMark::Kind::kMinibatch;
      }));
  MinibatchWindow counted = minibatch_window(marks, window, disturbances);
  if (counted.minibatches.empty() && window.begin_s > 0) {  // the run ended before power settled
    window.begin_s = 0;
    result.summary.steady = false;
    counted = minibatch_window(marks, window, disturbances);
  }
  result.summary.fetch_marked = std::any_of(marks.begin(), marks.end(), [](const auto& mark) {
    return mark.kind == TimedMark::Kind::kFetched;
  });
  add_minibatches(total, std::move(counted), window.minibatches > 0, result);
}

void Recording::add_sampler(Measurement& result) const {
  result.rate_asked_hz = options_.rate_hz;
  result.rate_hz = rate_hz_;
  if (!sampler_) return;
  result.lost_samples = sampler_->lost();
  result.late_samples = sampler_->late();
  result.sampler_cpu_share = sampler_->cpu_seconds() / (stopped_s_ - sampling_s_);
}

void Recording::add_machine_use(Measurement& result) const {
  result.residency =
      merge_residency(counted_residency(clocks_before_, clocks_after_),
                      sampled_residency(series_->samples(), result.begin_s, result.end_s));
  if (!disks_before_ || !disks_after_) return;
  result.disks = DiskIo{disks_after_->reads - disks_before_->reads,
                        disks_after_->read_bytes - disks_before_->read_bytes,
                        disks_after_->writes - disks_before_->writes,
                        disks_after_->written_bytes - disks_before_->written_bytes};
}

void Recording::add_costs(const std::vector<TimedMark>& marks, WindowOptions window, bool steady,
                          Measurement& result) {
  result.source = description_;
  add_sampler(result);
  auto traces = this->traces(power_.all());
  add_meter(result, traces);
  const PowerTrace total = total_of(traces);
  add_energies(traces, total, options_.idle_s > 0 ? sampling_s_ : 0, result);
  for (const auto& span : phases_of(marks, result.end_s)) {
    result.phases.push_back({span, total.energy(span.begin_s, span.end_s)});
  }
  result.token_requests = requests_of(marks, result.end_s);
  add_windows(marks, window, steady, total, result);
  add_series(*series_, result);
  add_machine_use(result);
  result.traces = std::move(traces);
}

}  // namespace ridgewatt::measure
