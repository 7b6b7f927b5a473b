#include "ridgewatt/measure/measure_command.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/measure/marked_command.h"

namespace ridgewatt {
namespace {

// What is known of power over the whole measurement.
struct Traces {
  std::vector<PowerTrace> channels;
  PowerTrace total;
};

Traces power_traces(const MeasureOptions& options, const PowerSource* source,
                    const std::vector<PowerSample>& samples, Measurement& result) {
  Traces traces;
  if (source != nullptr) traces.channels = traces_of(samples, source->channels());
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
  std::vector<double> times;
  double energy_j = 0;
  double time_s = 0;
  for (auto& minibatch : window.minibatches) {
    minibatch.energy_j = energy.energy_j(minibatch.begin_s, minibatch.end_s);
    if (minibatch.outlier) {
      ++summary.outliers;
      continue;
    }
    times.push_back(minibatch.time_s());
    time_s += minibatch.time_s();
    energy_j += minibatch.energy_j;
    summary.fetch_s += minibatch.fetch_s;
  }
  result.minibatches = std::move(window.minibatches);
  summary.count = times.size();
  if (times.empty()) return;
  const auto count = static_cast<double>(times.size());
  summary.fetch_s /= count;
  summary.median_s = median(times);
  const auto interval = bootstrap_interval(times, [](auto values) { return median(values); });
  summary.median_lo_s = interval.lo;
  summary.median_hi_s = interval.hi;
  summary.power_w = energy_j / time_s;
  summary.energy_j = energy_j / count;
}

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

// The rails; nothing where the machine has none, and why.
std::unique_ptr<PowerSource> find_source(const Sysfs& sysfs, std::string& description) {
  try {
    auto source = open_power_source(sysfs);
    description = source->description();
    return source;
  } catch (const Error& error) {
    description = std::string("none: ") + error.what();
    return nullptr;
  }
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

Measurement measure_command(const Sysfs& sysfs, const MeasureOptions& options) {
  Measurement result;
  std::vector<PowerSample> samples;
  const auto source = find_source(sysfs, result.source);
  std::unique_ptr<Sampler> sampler;
  Sampler::Options sampler_options;
  sampler_options.rate_hz = options.rate_hz;
  if (source) sampler_options.rate_hz = std::min(options.rate_hz, source->largest_rate_hz());
  const double sampling_s = monotonic_s();
  if (source) sampler = std::make_unique<Sampler>(*source, sampler_options);
  if (source || !options.meter.empty()) idle(options.idle_s, sampler.get(), samples);
  MachineSeries series(sysfs, options.series_rate_hz);
  const auto run = run_marked_command(options.command, [&](const auto& marks) {
    if (sampler) sampler->drain(samples);
    return !options.end_after_window || !minibatch_window(marks, options.window).complete;
  });
  add_run(run, result);
  series.stop();
  if (sampler) {
    // One more sample behind the end, to interpolate.
    std::this_thread::sleep_for(std::chrono::duration<double>(1.5 / sampler_options.rate_hz));
    sampler->stop();
    sampler->drain(samples);
    result.lost_samples = sampler->lost();
    result.sampler_cpu_share = sampler->cpu_seconds() / (monotonic_s() - sampling_s);
  }
  Traces traces = power_traces(options, source.get(), samples, result);
  add_energies(traces, options.idle_s > 0 ? sampling_s : 0, result);
  for (const auto& span : phases_of(run.marks, result.end_s)) {
    result.phases.push_back({span, traces.total.energy(span.begin_s, span.end_s)});
  }
  add_minibatches(traces, minibatch_window(run.marks, options.window),
                  options.window.minibatches > 0, result);
  add_series(series, result);
  result.traces = std::move(traces.channels);
  return result;
}

}  // namespace ridgewatt
