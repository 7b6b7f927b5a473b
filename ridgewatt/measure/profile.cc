#include "ridgewatt/measure/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <thread>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/progress.h"

namespace ridgewatt {
namespace {

// Waits until the mean power of two windows that follow each other agrees. True when it does.
bool settle(const Sysfs& sysfs, const ProfileOptions& options) {
  static constexpr int kReadings = 10;
  const auto source = open_power_source(sysfs);
  std::vector<double> power_w(source->channels().size());
  const auto window = [&] {
    double mean_w = 0;
    for (int i = 0; i < kReadings; ++i) {
      std::this_thread::sleep_for(
          std::chrono::duration<double>(options.settle_window_s / kReadings));
      source->read(power_w);
      for (std::size_t c = 0; c < power_w.size(); ++c) {
        if (source->channels()[c].in_total) mean_w += power_w[c] / kReadings;
      }
    }
    return mean_w;
  };
  const double end_s = monotonic_s() + options.settle_s;
  double last_w = window();
  while (monotonic_s() < end_s) {
    const double now_w = window();
    if (std::abs(now_w - last_w) <= options.settle_tolerance * std::abs(last_w)) return true;
    last_w = now_w;
  }
  return false;
}

PointRecord record_of(const Measurement& measurement, const PowerMode& mode, int batch) {
  PointRecord record;
  record.observation.point = {mode, batch};
  record.observation.time_s = measurement.summary.median_s;
  record.observation.power_w = measurement.summary.power_w;
  record.window_s = measurement.minibatches.back().end_s - measurement.minibatches.front().begin_s;
  record.energy_j = measurement.summary.energy_j * static_cast<double>(measurement.summary.count);
  record.idle_power_w = measurement.idle_w.value_or(0);
  record.minibatches = static_cast<int>(measurement.summary.count);
  const double begin_s = measurement.minibatches.front().begin_s;
  const double end_s = measurement.minibatches.back().end_s;
  for (const auto& sample : measurement.samples) {
    if (sample.time_s < begin_s || sample.time_s > end_s) continue;
    ++record.power_samples;
    for (std::size_t c = 0; c < measurement.channels.size(); ++c) {
      record.samples.push_back(
          {"power:" + measurement.channels[c].name, sample.time_s - begin_s, sample.power_w[c]});
    }
  }
  for (const auto& minibatch : measurement.minibatches) {
    record.samples.push_back(
        {"minibatch", minibatch.begin_s - begin_s, minibatch.end_s - minibatch.begin_s});
  }
  if (measurement.total) record.largest_gap_s = measurement.total->largest_gap_s;
  record.started_unix_s = std::time(nullptr);
  return record;
}

}  // namespace

std::vector<PowerMode> profiling_order(std::vector<PowerMode> modes) {
  std::sort(modes.begin(), modes.end(), [](const PowerMode& a, const PowerMode& b) {
    for (const Knob knob : {Knob::kMemClock, Knob::kGpuClock, Knob::kCpuClock, Knob::kCpuCores}) {
      if (a.get(knob) != b.get(knob)) return a.get(knob) > b.get(knob);
    }
    return a.governor < b.governor;
  });
  modes.erase(std::unique(modes.begin(), modes.end()), modes.end());
  return modes;
}

ProfileSummary profile(Sysfs& sysfs, JetsonModeControl& control, Store& store,
                       const std::vector<PowerMode>& modes, const ProfileOptions& options) {
  static constexpr int kMinSamples = 10;
  ProfileSummary summary;
  const auto campaign = store.campaign(options.campaign);
  const auto order = profiling_order(modes);
  Progress progress("profile", order.size(), options.quiet);
  for (std::size_t i = 0; i < order.size(); ++i) {
    progress.update(i, describe(order[i]));
    if (store.has(campaign, {order[i], options.batch})) {
      ++summary.skipped;
      continue;
    }
    control.apply(order[i]);
    std::string flags;
    const auto flag = [&](const char* name) {
      flags += (flags.empty() ? "" : " ") + std::string(name);
    };
    if (!settle(sysfs, options)) flag("unsteady");
    const auto measurement = measure_command(sysfs, options.measure);
    control.check_safety();
    const PowerMode now = control.state().limits;
    for (const Knob knob : kKnobs) {
      if (order[i].has(knob) &&
          std::abs(now.get(knob) - order[i].get(knob)) > 0.01 * now.get(knob)) {
        flag("drifted");
        break;
      }
    }
    if (!measurement.throttled.empty()) flag("throttled");
    if (measurement.status != 0 || measurement.summary.count == 0 || !measurement.total) {
      ++summary.failed;
      summary.failures.push_back(fmt::format(
          "{}: {}", describe(order[i]),
          measurement.status != 0 ? fmt::format("the command ended with {}", measurement.status)
          : !measurement.total    ? "no power: " + measurement.source
                                  : std::string("the command marked no two minibatches")));
      continue;
    }
    PointRecord record = record_of(measurement, order[i], options.batch);
    if (record.power_samples < kMinSamples) flag("few-samples");
    record.flags = flags;
    store.add(campaign, record);
    ++summary.measured;
  }
  progress.update(order.size());
  control.restore();
  return summary;
}

}  // namespace ridgewatt
