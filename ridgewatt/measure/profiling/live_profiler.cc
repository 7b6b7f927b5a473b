#include "ridgewatt/measure/live_profiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "ridgewatt/base/clock.h"
#include "ridgewatt/base/contains.h"
#include "ridgewatt/base/fnv.h"
#include "ridgewatt/base/plural.h"
#include "ridgewatt/measure/placeholders.h"
#include "ridgewatt/measure/sampling/clock_shortfall.h"
#include "ridgewatt/measure/sampling/marked_command.h"

namespace ridgewatt::measure {
namespace {

constexpr int kMinPowerSamples = 10;
constexpr double kManyExcluded = 0.1;

PointFlags flags_of(const Measurement& measurement, int power_samples, bool drift) {
  const auto& summary = measurement.summary;
  PointFlags flags;
  flags.add(PointFlag::kUnsteady, !summary.steady);
  flags.add(PointFlag::kDrifted, drift);
  flags.add(PointFlag::kThrottled, !measurement.throttled.empty());
  flags.add(PointFlag::kExcluded,
            static_cast<double>(summary.excluded) >
                kManyExcluded * static_cast<double>(summary.count + summary.excluded));
  flags.add(PointFlag::kFewMinibatches, !summary.complete);
  flags.add(PointFlag::kFewSamples, power_samples < kMinPowerSamples);
  return flags;
}

store::PointRecord record_of(const Measurement& measurement, const OperatingPoint& point) {
  store::PointRecord record;
  const double begin_s = measurement.minibatches.front().begin_s;
  const double end_s = measurement.minibatches.back().end_s;
  const auto& summary = measurement.summary;
  record.observation = {point, summary.time_s, summary.power_w, summary.energy_j, summary.median_s};
  if (summary.fetch_marked) record.observation.fetch_stall_s = summary.fetch_s;
  record.window_s = summary.time_s * static_cast<double>(summary.count);
  record.energy_j = summary.energy_j * static_cast<double>(summary.count);
  record.idle_power_w = measurement.idle_w.value_or(0);
  record.minibatches = static_cast<int>(summary.count);
  record.excluded = static_cast<int>(summary.excluded);
  // Rails are sampled together, so count the samples of one rail of the total.
  bool counted = false;
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
    record.samples.push_back({"minibatch", minibatch.begin_s - begin_s, minibatch.time_s()});
  }
  if (measurement.total) record.largest_gap_s = measurement.total->largest_gap_s;
  record.started_unix_s = unix_s_before(monotonic_s() - measurement.begin_s);
  return record;
}

void fill_in_places(std::vector<std::string>& command, int cpu_cores, int batch,
                    const platform::Sysfs& sysfs) {
  fill_in(command, kBatchPlace, batch);
  fill_in(command, kThreadsPlace, cpu_cores > 0 ? cpu_cores : online_cpus(sysfs));
}

// The hash of the words and their ends, cut to the integers that a reading, a double, holds
// exactly.
double fingerprint_of(const std::vector<std::string>& command) {
  constexpr std::string_view kEnd("\0", 1);
  std::uint64_t hash = fnv1a("");
  for (const auto& word : command) hash = fnv1a(kEnd, fnv1a(word, hash));
  return static_cast<double>(hash >> 11);
}

// A store from before serial numbers were recorded may contain points of this board without a
// serial.
std::vector<std::int64_t> numbers_of(store::Store& store, store::Series series) {
  std::vector<std::int64_t> numbers;
  if (const auto number = store.find_series(series)) numbers.push_back(*number);
  if (std::exchange(series.serial, "").empty()) return numbers;
  if (const auto number = store.find_series(series)) numbers.push_back(*number);
  return numbers;
}

}  // namespace

void require_same_command(const platform::Sysfs& sysfs, store::Store& store,
                          const store::Series& series, const std::vector<std::string>& command,
                          const std::vector<int>& batches) {
  if (command.empty()) return;
  std::int64_t others = 0;
  for (const std::int64_t number : numbers_of(store, series)) {
    for (const auto& stored : store.commands(number)) {
      if (!contains(batches, stored.batch)) continue;
      auto filled = command;
      fill_in_places(filled, stored.cpu_cores, stored.batch, sysfs);
      others += stored.command == fingerprint_of(filled) ? 0 : stored.points;
    }
  }
  if (others == 0) return;
  throw UsageError(fmt::format("the store has {} of workload {} that another command measured",
                               counted(others, "point"), series.workload),
                   store.path(), "give another --workload, or another store");
}

void add_command(const std::vector<std::string>& command, store::PointRecord& record) {
  if (command.empty()) return;
  record.samples.push_back({store::kCommandChannel, 0, fingerprint_of(command)});
}

LiveProfiler::LiveProfiler(platform::Sysfs& sysfs, platform::JetsonModeControl& control,
                           store::Store& store, const ProfileOptions& options)
    : sysfs_(sysfs), meter_(sysfs), control_(control), store_(store), options_(options) {
  options.measure.check();  // check before a mode is set
  sets_threads_ = threads_replace_modes(options.measure.command, sysfs);
  if (options.cache.start != CacheOptions::Start::kAsItIs) {
    cache_ = std::make_unique<pipeline::PageCacheState>(pipeline::files_below(options.cache.path));
  }
  for (const std::int64_t number : numbers_of(store, options.series)) {
    for (const auto& record : store.points(number)) {
      Stored& stored = stored_[record.observation.point];
      if (!record.superseded) {
        stored.waiting.insert(stored.waiting.begin(), record.observation);
        stored.clean = stored.clean || record.flags.empty();
      }
      stored.repeats = std::max(stored.repeats, record.repeat + 1);
    }
  }
}

bool LiveProfiler::waiting(const OperatingPoint& point) const {
  const auto found = stored_.find(point);
  return found != stored_.end() && !found->second.waiting.empty();
}

bool LiveProfiler::flagged(const OperatingPoint& point) const {
  return waiting(point) && !stored_.at(point).clean;
}

PointFlags LiveProfiler::measured_flags(const OperatingPoint& point) const {
  const auto found = measured_points_.find(point);
  return found == measured_points_.end() ? PointFlags() : found->second;
}

std::vector<Observation> LiveProfiler::take_known() {
  std::vector<Observation> known;
  for (auto& [point, stored] : stored_) {
    known.insert(known.end(), stored.waiting.rbegin(), stored.waiting.rend());
    stored.waiting.clear();
  }
  return known;
}

Observation LiveProfiler::profile_again(const OperatingPoint& point) {
  stored_[point].waiting.clear();
  return profile(point);
}

Observation LiveProfiler::profile(const OperatingPoint& point) {
  Stored& stored = stored_[point];
  if (!stored.waiting.empty()) {
    const Observation seen = stored.waiting.back();
    stored.waiting.pop_back();
    return seen;
  }
  if (const auto theirs = found_by_others(point, stored.repeats)) {
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
    fail(point, error.what());  // only this mode does not work on this board
  } catch (const NotFoundError& error) {
    // A search treats NotFoundError as a point that does not exist. Here the board itself is gone.
    throw IoError(error.what());
  }
}

std::optional<Observation> LiveProfiler::found_by_others(const OperatingPoint& point, int repeat) {
  const auto series = store_.find_series(options_.series);
  return series ? store_.find(*series, point, repeat) : std::nullopt;
}

Observation LiveProfiler::measure(const OperatingPoint& point, int repeat) {
  store::PointRecord record = take(point);
  record.repeat = repeat;
  const bool storable = std::isfinite(record.observation.power_w);
  if (storable && !store_.add_if_absent(store_.series(options_.series), record)) {
    return found_by_others(point, repeat).value();  // another process stored it first
  }
  ++measured_;
  measured_points_[point] = record.flags;
  return record.observation;
}

void LiveProfiler::set(const PowerMode& mode) {
  // Reset the knobs that the mode does not set to their original values, not those of the last
  // point.
  const bool open =
      std::any_of(kKnobs.begin(), kKnobs.end(), [&](Knob knob) { return !mode.has(knob); });
  if (open) control_.restore();
  control_.apply(mode);
}

store::PointRecord LiveProfiler::take(const OperatingPoint& point, double limit_s) {
  if (!sets_threads_) set(point.mode);
  MeasureOptions measure = options_.measure;
  measure.limit_s = limit_s;
  measure.keep_output = true;
  fill_in_places(measure.command, point.mode.cpu_cores, point.batch, sysfs_);
  if (cache_ && options_.cache.start == CacheOptions::Start::kFilled) cache_->fill();
  if (cache_ && options_.cache.start == CacheOptions::Start::kDropped) cache_->drop();
  const auto measurement = measure_command(sysfs_, measure, meter_);
  control_.check_safety();
  malformed_marks_ += measurement.malformed_marks;
  const auto& summary = measurement.summary;
  std::string failed = measurement.status == 0
                           ? ""
                           : fmt::format("the command ended with status {}", measurement.status);
  if (measurement.over_limit) {
    failed = fmt::format("the command ran longer than its limit of {:.4g} s", limit_s);
  }
  const bool has_power = !measurement.channels.empty();
  if (!has_power && !options_.power_optional) {  // the same would happen at every point
    throw IoError("no point can be profiled, because no power is measured",
                  failed.empty() ? measurement.source : measurement.source + "; " + failed,
                  "check with `ridgewatt sensors` that the board measures power");
  }
  const std::string& output = measurement.last_output;
  if (!failed.empty()) fail(point, failed, output);
  if (summary.count == 0 && summary.excluded > 0) {
    fail(point,
         fmt::format("every one of {} was excluded: {}", counted(summary.excluded, "minibatch"),
                     summary.causes.begin()->first),
         output);
  }
  if (summary.count == 0) fail(point, "the command marked fewer than two minibatches", output);
  if (has_power && !measurement.total) fail(point, "no power was measured: " + measurement.source);
  store::PointRecord record = record_of(measurement, point);
  add_command(measure.command, record);
  record.flags = flags_of(
      measurement, record.power_samples,
      !sets_threads_ && clocks_fell_short(measurement, point.mode, control_.state().limits));
  if (!has_power) {
    record.observation.power_w = std::numeric_limits<double>::quiet_NaN();
    record.observation.measured_energy_j.reset();
  }
  return record;
}

void LiveProfiler::fail(const OperatingPoint& point, const std::string& reason,
                        const std::string& output) {
  failures_.push_back(describe(point.mode) + ": " + reason);
  PointFailedError error("cannot be profiled", describe(point.mode), reason);
  error.output = output;
  throw error;
}

}  // namespace ridgewatt::measure
