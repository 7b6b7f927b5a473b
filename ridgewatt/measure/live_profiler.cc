#include "ridgewatt/measure/live_profiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <thread>

namespace ridgewatt {
namespace {

constexpr int kMinPowerSamples = 10;
constexpr double kDrift = 0.01;
constexpr double kManyOutliers = 0.1;

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

// A clock that ran lower than it was set to at any time of the window.
bool drifted(const Measurement& measurement, const PowerMode& set, const PowerMode& now) {
  for (const Knob knob : kKnobs) {
    if (set.has(knob) && std::abs(now.get(knob) - set.get(knob)) > kDrift * set.get(knob)) {
      return true;
    }
  }
  if (!set.governor.empty()) return false;  // a governor moves clocks
  const auto below = [&](const std::string& channel, Knob knob) {
    for (const auto& series : measurement.series_summary) {
      if (series.channel.rfind(channel, 0) == 0 && set.has(knob) && series.low > 0 &&
          series.low < (1 - kDrift) * set.get(knob)) {
        return true;
      }
    }
    return false;
  };
  return below("clock:cpu", Knob::kCpuClock) || below("clock:gpu", Knob::kGpuClock) ||
         below("clock:emc", Knob::kMemClock);
}

std::string flags_of(const Measurement& measurement, int power_samples, bool steady, bool drift) {
  std::string flags;
  const auto flag = [&](bool raised, const char* name) {
    if (raised) flags += (flags.empty() ? "" : " ") + std::string(name);
  };
  const auto& summary = measurement.summary;
  flag(!steady, "unsteady");
  flag(drift, "drifted");
  flag(!measurement.throttled.empty(), "throttled");
  flag(static_cast<double>(summary.outliers) > kManyOutliers * static_cast<double>(summary.count),
       "outliers");
  flag(!summary.complete, "few-minibatches");
  flag(power_samples < kMinPowerSamples, "few-samples");
  return flags;
}

PointRecord record_of(const Measurement& measurement, const OperatingPoint& point) {
  PointRecord record;
  const double begin_s = measurement.minibatches.front().begin_s;
  const double end_s = measurement.minibatches.back().end_s;
  record.observation = {point, measurement.summary.median_s, measurement.summary.power_w};
  record.window_s = end_s - begin_s;
  record.idle_power_w = measurement.idle_w.value_or(0);
  record.minibatches = static_cast<int>(measurement.summary.count);
  bool counted = false;  // the rails are read together: one of the total tells their number
  for (const auto& trace : measurement.traces) {
    const bool count = trace.in_total && !counted;
    counted = counted || count;
    for (std::size_t i = 0; i < trace.times_s.size(); ++i) {
      if (trace.times_s[i] < begin_s || trace.times_s[i] > end_s) continue;
      if (!std::isfinite(trace.powers_w[i])) continue;
      record.power_samples += count ? 1 : 0;
      record.samples.push_back(
          {"power:" + trace.name, trace.times_s[i] - begin_s, trace.powers_w[i]});
    }
  }
  for (const auto& sample : measurement.series) {
    if (sample.time_s < begin_s || sample.time_s > end_s) continue;
    record.samples.push_back({sample.channel, sample.time_s - begin_s, sample.value});
  }
  for (const auto& minibatch : measurement.minibatches) {
    record.energy_j += minibatch.energy_j;
    record.samples.push_back({"minibatch", minibatch.begin_s - begin_s, minibatch.time_s()});
  }
  if (measurement.total) record.largest_gap_s = measurement.total->largest_gap_s;
  record.started_unix_s = std::time(nullptr);
  return record;
}

void fill_in_batch(std::vector<std::string>& command, int batch) {
  static const std::string kPlace = "{batch}";
  for (auto& argument : command) {
    for (auto at = argument.find(kPlace); at != std::string::npos; at = argument.find(kPlace)) {
      argument.replace(at, kPlace.size(), std::to_string(batch));
    }
  }
}

}  // namespace

LiveProfiler::LiveProfiler(Sysfs& sysfs, JetsonModeControl& control, Store& store,
                           const ProfileOptions& options)
    : sysfs_(sysfs), control_(control), store_(store), options_(options) {
  const auto campaign = store.find_campaign(options.campaign);
  if (!campaign) return;
  for (const auto& record : store.points(*campaign)) {
    Stored& stored = stored_[record.observation.point];
    stored.waiting.insert(stored.waiting.begin(), record.observation);
    stored.repeats = std::max(stored.repeats, record.repeat + 1);
  }
}

bool LiveProfiler::waiting(const OperatingPoint& point) const {
  const auto found = stored_.find(point);
  return found != stored_.end() && !found->second.waiting.empty();
}

std::vector<Observation> LiveProfiler::take_known() {
  std::vector<Observation> known;
  for (auto& [point, stored] : stored_) {
    known.insert(known.end(), stored.waiting.rbegin(), stored.waiting.rend());
    stored.waiting.clear();
  }
  return known;
}

Observation LiveProfiler::profile(const OperatingPoint& point) {
  Stored& stored = stored_[point];
  if (!stored.waiting.empty()) {
    const Observation seen = stored.waiting.back();
    stored.waiting.pop_back();
    return seen;
  }
  if (const auto theirs = found_meanwhile(point, stored.repeats)) {
    ++stored.repeats;
    return *theirs;
  }
  try {
    const Observation seen = measure(point, stored.repeats);
    ++stored.repeats;
    return seen;
  } catch (const PointFailedError&) {
    throw;
  } catch (const NotSupportedError& error) {
    fail(point, error.what());  // this mode, on this board
  } catch (const NotFoundError& error) {
    // A search takes this for a point that the board does not have: it is the board that is gone.
    throw IoError(error.what());
  }
}

std::optional<Observation> LiveProfiler::found_meanwhile(const OperatingPoint& point, int repeat) {
  const auto campaign = store_.find_campaign(options_.campaign);
  return campaign ? store_.find(*campaign, point, repeat) : std::nullopt;
}

Observation LiveProfiler::measure(const OperatingPoint& point, int repeat) {
  control_.apply(point.mode);
  bool steady = false;
  std::string no_sensor;
  try {
    steady = settle(sysfs_, options_);
  } catch (const NotSupportedError& error) {
    no_sensor = error.what();
  }
  MeasureOptions measure = options_.measure;
  fill_in_batch(measure.command, point.batch);
  const auto measurement = measure_command(sysfs_, measure);
  control_.check_safety();
  const std::string failed =
      measurement.status == 0 ? "" : fmt::format("the command ended with {}", measurement.status);
  if (!no_sensor.empty()) {  // no other point will fare better
    throw IoError("no point can be profiled",
                  failed.empty() ? no_sensor : no_sensor + "; " + failed);
  }
  if (!failed.empty()) fail(point, failed);
  if (measurement.summary.count == 0) fail(point, "the command marked no two minibatches");
  if (!measurement.total) fail(point, "no power: " + measurement.source);
  PointRecord record = record_of(measurement, point);
  record.repeat = repeat;
  record.flags = flags_of(measurement, record.power_samples, steady,
                          drifted(measurement, point.mode, control_.state().limits));
  if (!store_.add_if_absent(store_.campaign(options_.campaign), record)) {
    return found_meanwhile(point, repeat).value();  // another process was first
  }
  ++measured_;
  return record.observation;
}

void LiveProfiler::fail(const OperatingPoint& point, const std::string& reason) {
  failures_.push_back(describe(point.mode) + ": " + reason);
  throw PointFailedError("cannot be profiled", describe(point.mode), reason);
}

}  // namespace ridgewatt
