#include "ridgewatt/measure/measure_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <thread>
#include <utility>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/measure/sampling/marked_command.h"

namespace ridgewatt::measure {
namespace {

// What is known of power over the whole measurement.
struct Traces {
  std::vector<PowerTrace> channels;
  PowerTrace total;
};

Traces power_traces(const MeasureOptions& options, const platform::PowerSource* source,
                    const std::vector<PowerSample>& samples, Measurement& result) {
  Traces traces;
  if (source != nullptr) traces.channels = traces_of(samples, source->channels());
  if (source != nullptr && source->tells_means()) {
    for (auto& channel : traces.channels) channel = as_steps(channel);
  }
  if (!options.meter.empty()) {
    auto meter = read_meter(options.meter, result.begin_s, result.end_s);
    if (options.meter_is_total || source == nullptr) {
      for (auto& channel : traces.channels) channel.in_total = false;
      meter.in_total = true;
      result.source = "external meter " + options.meter;
    }
    traces.channels.push_back(std::move(meter));
  }
  traces.total = total_of(traces.channels);
  return traces;
}

void add_energies(const Traces& traces, double idle_begin_s, Measurement& result) {
  for (const auto& trace : traces.channels) {
    const auto found = trace.energy(result.begin_s, result.end_s);
    if (found) result.channels.push_back({trace.name, trace.in_total, *found});
  }
  result.total = traces.total.energy(result.begin_s, result.end_s);
  if (idle_begin_s <= 0) return;
  const auto idle = traces.total.energy(idle_begin_s, result.begin_s);
  if (idle && idle->samples > 0) result.idle_w = idle->mean_w;
}

void add_minibatches(const Traces& traces, MinibatchWindow window, bool asked,
                     Measurement& result) {
  auto& summary = result.summary;
  summary.complete = window.complete || !asked;
  const PowerIntegral energy(traces.total);
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
  const auto joules = batch_means_interval(energies);
  summary.time_s = time.mean, summary.time_lo_s = time.lo, summary.time_hi_s = time.hi;
  summary.energy_j = joules.mean, summary.energy_lo_j = joules.lo, summary.energy_hi_j = joules.hi;
  summary.power_w = joules.mean / time.mean;
  summary.fetch_s = fetch_s / static_cast<double>(times.size());
  summary.median_s = median(times);
  summary.lower_quartile_s = quantile(times, 0.25);
  summary.upper_quartile_s = quantile(times, 0.75);
}

// Where the power source told nothing for long: ten of its intervals and a second.
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

// Tells when the program's power became steady, or that it did not in time.
class SteadyLoad {
 public:
  SteadyLoad(const SettleOptions& options, int warm_up, const platform::PowerSource* source)
      : options_(options), warm_up_(static_cast<std::size_t>(std::max(warm_up, 1))) {
    if (source == nullptr || options.at_most_s <= 0) begin_s_ = 0;
    if (source != nullptr) channels_ = source->channels();
  }
  // When the window of minibatches may begin.
  const std::optional<double>& begin_s() const { return begin_s_; }
  bool steady() const { return steady_ || options_.at_most_s <= 0; }

  void look(const std::vector<PowerSample>& samples, const std::vector<TimedMark>& marks) {
    if (begin_s_ || samples.empty()) return;
    std::size_t ended = 0;
    double load_s = 0;  // since the end of the warm-up
    for (const auto& mark : marks) {
      if (mark.kind == TimedMark::Kind::kMinibatch && ++ended == warm_up_) load_s = mark.time_s;
    }
    if (load_s == 0) return;
    const double now_s = samples.back().time_s, elapsed_s = now_s - load_s;
    const auto since = static_cast<double>(ended - warm_up_);
    const double window_s = std::max(options_.window_s, since > 0 ? 2 * elapsed_s / since : 0);
    if (since > 0 && elapsed_s >= 2 * window_s) {
      const double before_w = mean_w(samples, now_s - 2 * window_s, now_s - window_s);
      const double after_w = mean_w(samples, now_s - window_s, now_s);
      steady_ = std::abs(after_w - before_w) <= options_.tolerance * before_w;
    }
    if (steady_ || elapsed_s > options_.at_most_s) begin_s_ = now_s;
  }

 private:
  double mean_w(const std::vector<PowerSample>& samples, double begin_s, double end_s) const {
    double sum_w = 0;
    int count = 0;
    for (auto at = samples.rbegin(); at != samples.rend() && at->time_s >= begin_s; ++at) {
      const auto at_c = [&](std::size_t c) { return at->power_w[c]; };
      const double total_w = platform::total_power_w(channels_, at_c).value_or(0);
      if (at->time_s < end_s && std::isfinite(total_w)) sum_w += total_w, ++count;
    }
    return sum_w / count;  // no number without a sample: not steady
  }

  SettleOptions options_;
  std::size_t warm_up_;
  std::vector<platform::PowerSource::Channel> channels_;
  std::optional<double> begin_s_;
  bool steady_ = false;
};

void add_run(const CommandRun& run, Measurement& result) {
  result.status = run.status;
  result.begin_s = run.begin_s;
  result.end_s = run.end_s;
  result.user_s = run.user_s;
  result.system_s = run.system_s;
  result.peak_memory_bytes = run.peak_memory_bytes;
  result.malformed_marks = run.malformed_marks;
}

void add_series(const MachineSeries& series, Measurement& result) {
  result.series = series.samples();
  result.throttled = series.throttled();
  const bool marked = !result.minibatches.empty();
  result.series_summary =
      summarize_series(result.series, marked ? result.minibatches.front().begin_s : result.begin_s,
                       marked ? result.minibatches.back().end_s : result.end_s);
}

// Lets the board be, while samples come.
void idle(double duration_s, Sampler* sampler, std::vector<PowerSample>& samples) {
  static constexpr double kSliceS = 1;
  const double end_s = monotonic_s() + duration_s;
  for (double left_s = duration_s; left_s > 0; left_s = end_s - monotonic_s()) {
    std::this_thread::sleep_for(std::chrono::duration<double>(std::min(left_s, kSliceS)));
    if (sampler != nullptr) sampler->drain(samples);
  }
}

}  // namespace

void MeasureOptions::check() const {
  if (command.empty()) throw UsageError("give a command to measure", "measure -- COMMAND");
  const auto require = [](bool good, const char* field, double value, const char* constraint) {
    if (!good) throw UsageError(fmt::format("{} is {:g}", field, value), "measuring", constraint);
  };
  const auto time = [&](const char* field, double value) {
    require(value >= 0 && std::isfinite(value), field, value, "it must be 0 s or more");
  };
  require(rate_hz >= 1 && rate_hz <= 1000, "rate_hz", rate_hz, "it must be 1 to 1000 Hz");
  require(series_rate_hz >= 0.1 && series_rate_hz <= 50, "series_rate_hz", series_rate_hz,
          "it must be 0.1 to 50 Hz");
  time("idle_s", idle_s);
  time("settle.at_most_s", settle.at_most_s);
  time("window.at_least_s", window.at_least_s);
  require(settle.window_s > 0 && std::isfinite(settle.window_s), "settle.window_s", settle.window_s,
          "it must be more than 0 s");
  require(settle.tolerance >= 0, "settle.tolerance", settle.tolerance, "it must be 0 or more");
  require(window.warm_up >= 0, "window.warm_up", window.warm_up, "it must be 0 or more");
  require(window.minibatches >= 0, "window.minibatches", window.minibatches,
          "it must be 0 or more");
  if (meter_is_total && meter.empty()) {
    throw UsageError("meter_is_total is set", "measuring", "it needs the CSV of a meter");
  }
}

Measurement measure_command(const platform::Sysfs& sysfs, const MeasureOptions& options) {
  platform::PowerMeter meter(sysfs);
  return measure_command(sysfs, options, meter);
}

Measurement measure_command(const platform::Sysfs& sysfs, const MeasureOptions& options,
                            platform::PowerMeter& meter) {
  options.check();
  Measurement result;
  std::vector<PowerSample> samples;
  platform::PowerSource* source = meter.source();
  result.source = meter.description();
  result.rate_asked_hz = options.rate_hz;
  result.rate_hz = meter.usable_rate_hz(options.rate_hz);
  std::unique_ptr<Sampler> sampler;
  Sampler::Options sampler_options;
  sampler_options.rate_hz = result.rate_hz;
  const double sampling_s = monotonic_s();
  if (source != nullptr) sampler = std::make_unique<Sampler>(*source, sampler_options);
  if (source != nullptr || !options.meter.empty()) idle(options.idle_s, sampler.get(), samples);
  MachineSeries series(sysfs, options.series_rate_hz);
  SteadyLoad load(options.settle, options.window.warm_up, source);
  WindowOptions window = options.window;
  const auto run = run_marked_command(options.command, [&](const auto& marks) {
    if (sampler) sampler->drain(samples);
    load.look(samples, marks);
    if (!options.end_after_window || !load.begin_s()) return true;
    window.begin_s = *load.begin_s();
    return !minibatch_window(marks, window, series.disturbances()).complete;
  });
  add_run(run, result);
  series.stop();
  if (sampler) {
    // One more sample behind the end, to interpolate.
    std::this_thread::sleep_for(std::chrono::duration<double>(1.5 / result.rate_hz));
    sampler->stop();
    sampler->drain(samples);
    result.lost_samples = sampler->lost();
    result.late_samples = sampler->late();
    result.sampler_cpu_share = sampler->cpu_seconds() / (monotonic_s() - sampling_s);
  }
  Traces traces = power_traces(options, source, samples, result);
  add_energies(traces, options.idle_s > 0 ? sampling_s : 0, result);
  for (const auto& span : phases_of(run.marks, result.end_s)) {
    result.phases.push_back({span, traces.total.energy(span.begin_s, span.end_s)});
  }
  auto disturbances = series.disturbances();
  add_counter_gaps(traces.total, result, disturbances);
  window.begin_s = load.begin_s().value_or(0);
  result.summary.steady = load.steady();
  MinibatchWindow counted = minibatch_window(run.marks, window, disturbances);
  if (counted.minibatches.empty() && window.begin_s > 0) {  // it ended while power settled
    window.begin_s = 0;
    result.summary.steady = false;
    counted = minibatch_window(run.marks, window, disturbances);
  }
  result.summary.fetch_marked =
      std::any_of(run.marks.begin(), run.marks.end(),
                  [](const auto& mark) { return mark.kind == TimedMark::Kind::kFetched; });
  add_minibatches(traces, std::move(counted), options.window.minibatches > 0, result);
  add_series(series, result);
  result.traces = std::move(traces.channels);
  return result;
}

}  // namespace ridgewatt::measure
