#include "ridgewatt/measure/machine_series.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <iterator>
#include <sstream>

#include "ridgewatt/base/contains.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/thread.h"
#include "ridgewatt/measure/sampler.h"
#include "ridgewatt/platform/jetson_identity.h"

namespace ridgewatt::measure {
namespace {

constexpr double kClockDrift = 0.01;

bool has_active(const std::vector<platform::ThrottleSignal>& signals, const std::string& name) {
  return std::any_of(signals.begin(), signals.end(),
                     [&](const auto& s) { return s.name == name && s.active(); });
}

// True for this process and its descendants. Also true for a process that is not visible: in a
// container, process ids of the kernel have no meaning.
bool is_ours(int process) {
  for (int depth = 0; depth < 100 && process > 1; ++depth) {
    if (process == ::getpid()) return true;
    std::ifstream in(fmt::format("/proc/{}/stat", process));
    std::string text((std::istreambuf_iterator<char>(in)), {});
    const auto end = text.rfind(')');  // the name before it may contain any character
    if (end == std::string::npos) return true;
    process = 0;
    std::istringstream fields(text.substr(end + 1));
    char state = 0;
    fields >> state >> process;
  }
  return false;
}

std::unique_ptr<platform::Nvml> open_gpus(const platform::Sysfs& sysfs) {
  if (!sysfs.root().empty() || platform::identify_jetson(sysfs)) return nullptr;
  try {
    return platform::Nvml::open();
  } catch (const NotSupportedError&) {
    return nullptr;
  }
}

}  // namespace

// Parses lines "CLIENT PROCESS PID SIZE". The last line, a total, has no PID.
std::vector<int> gpu_processes(const platform::Sysfs& sysfs) {
  std::vector<int> processes;
  std::istringstream lines(sysfs.text("/sys/kernel/debug/nvmap/iovmm/clients").value_or(""));
  std::string line, client, name;
  while (std::getline(lines, line)) {
    std::istringstream fields(line);
    int process = 0;
    if (fields >> client >> name >> process) processes.push_back(process);
  }
  return processes;
}

std::vector<store::RawSample> series_samples(const platform::SensorSnapshot& snapshot,
                                             double time_s) {
  std::vector<store::RawSample> samples;
  for (const auto& clock : snapshot.clocks) {
    samples.push_back({"clock:" + clock.name, time_s, clock.clock_hz});
  }
  for (const auto& load : snapshot.loads) {
    const bool one_core = load.name.rfind("cpu", 0) == 0 && load.name != "cpu";
    if (!one_core) samples.push_back({"load:" + load.name, time_s, load.load});
  }
  for (const auto& zone : snapshot.temperatures) {
    if (zone.celsius) samples.push_back({"temperature:" + zone.name, time_s, *zone.celsius});
  }
  for (const auto& fan : snapshot.fans) {
    if (fan.duty) samples.push_back({"fan:" + fan.name, time_s, *fan.duty});
  }
  if (snapshot.memory_total_bytes > 0) {
    samples.push_back(
        {"memory:used", time_s, snapshot.memory_total_bytes - snapshot.memory_available_bytes});
  }
  return samples;
}

MachineSeries::MachineSeries(const platform::Sysfs& sysfs, double rate_hz, std::size_t most_samples)
    : sysfs_(sysfs),
      reader_(sysfs),
      nvml_(open_gpus(sysfs)),
      interval_s_(1 / rate_hz),
      most_samples_(most_samples) {
  if (!(rate_hz >= 0.1 && rate_hz <= 50))
    throw UsageError("the sampling rate of the time series must be 0.1 to 50 Hz");
  first_processes_ = gpu_processes(sysfs);
  look();
  thread_ = quiet_thread([this] { run(); });
}

MachineSeries::~MachineSeries() {
  stop();
}

void MachineSeries::look() {
  const double time_s = monotonic_s();
  platform::SensorSnapshot now = reader_.read();
  add_gpus(now);
  keep(now, time_s);
  const bool first = last_s_ == 0;
  if (first) first_ = last_ = now, last_s_ = time_s;
  for (const auto& name : ridgewatt::platform::throttled(first_.throttling, now.throttling)) {
    add_throttled(name);
  }
  // Signals that were active at the start do not count.
  const auto rose = [&](const platform::ThrottleSignal& signal) {
    return !ridgewatt::platform::throttled(last_.throttling, {signal}).empty() &&
           (signal.counter || !has_active(first_.throttling, signal.name));
  };
  note("throttling", std::any_of(now.throttling.begin(), now.throttling.end(), rose), time_s);
  note("clock changed", clock_changed(now), time_s);
  note("another process", another_process(), time_s);
  last_ = std::move(now);
  last_s_ = time_s;
}

void MachineSeries::add_throttled(const std::string& name) {
  if (!contains(throttled_, name)) {
    throttled_.push_back(name);
  }
}

// A busy GPU often reaches its power limit, so these reasons are reported but exclude no
// minibatches.
void MachineSeries::add_gpus(platform::SensorSnapshot& snapshot) {
  if (!nvml_) return;
  for (const auto& device : nvml_->devices()) {
    const std::string name = device.index == 0 ? "gpu" : fmt::format("gpu {}", device.index);
    if (const auto hz = nvml_->gpu_clock_hz(device.index)) {
      platform::ClockReading& clock = snapshot.clocks.emplace_back();
      clock.name = name, clock.clock_hz = *hz;
    }
    if (const auto load = nvml_->load(device.index)) snapshot.loads.push_back({name, *load});
    if (const auto celsius = nvml_->temperature_celsius(device.index)) {
      platform::TemperatureReading& zone = snapshot.temperatures.emplace_back();
      zone.name = name, zone.celsius = *celsius;
    }
    for (const auto& reason : nvml_->throttle_reasons(device.index)) {
      add_throttled(fmt::format("{} {}", name, reason));
    }
  }
}

void MachineSeries::keep(const platform::SensorSnapshot& snapshot, double time_s) {
  if (looks_++ % keep_every_ != 0) return;
  for (auto& sample : series_samples(snapshot, time_s)) samples_.push_back(std::move(sample));
  while (samples_.size() > most_samples_ && samples_.front().time_s < time_s) {
    double look_s = samples_.front().time_s;
    bool kept = true;  // alternates from one snapshot to the next
    std::erase_if(samples_, [&](const store::RawSample& sample) {
      if (sample.time_s != look_s) look_s = sample.time_s, kept = !kept;
      return !kept;
    });
    keep_every_ *= 2;
  }
}

// A disturbance lasts from the last snapshot before it to the first one after it.
void MachineSeries::note(const std::string& cause, bool seen, double time_s) {
  const auto open = std::find_if(disturbances_.begin(), disturbances_.end(), [&](const auto& d) {
    return d.cause == cause && d.end_s == last_s_;
  });
  if (open != disturbances_.end()) {
    // It was seen in the last snapshot, so this one extends it or ends it.
    if (seen || open_[cause]) open->end_s = time_s;
  } else if (seen) {
    disturbances_.push_back({cause, last_s_, time_s});
  }
  open_[cause] = seen;
}

bool MachineSeries::clock_changed(const platform::SensorSnapshot& now) const {
  if (now.cpus_online != first_.cpus_online) return true;
  const auto off_limits = [](const platform::ClockReading& clock) {
    const bool fixed = clock.max_hz > 0 && clock.min_hz == clock.max_hz;
    return fixed && clock.clock_hz > 0 && std::abs(clock.clock_hz / clock.max_hz - 1) > kClockDrift;
  };
  for (const auto& clock : now.clocks) {
    const auto before = std::find_if(first_.clocks.begin(), first_.clocks.end(),
                                     [&](const auto& c) { return c.name == clock.name; });
    if (before == first_.clocks.end()) continue;
    if (clock.min_hz != before->min_hz || clock.max_hz != before->max_hz) return true;
    if (off_limits(clock) && !off_limits(*before)) return true;
  }
  return false;
}

bool MachineSeries::another_process() const {
  for (const int process : gpu_processes(sysfs_)) {
    const bool old = contains(first_processes_, process);
    if (!old && !is_ours(process)) return true;
  }
  return false;
}

std::vector<Disturbance> MachineSeries::disturbances() {
  const std::lock_guard lock(mutex_);
  return disturbances_;
}

void MachineSeries::run() {
  std::unique_lock lock(mutex_);
  const std::chrono::duration<double> interval(interval_s_);
  while (!wake_.wait_for(lock, interval, [this] { return stop_; })) look();
}

void MachineSeries::stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  thread_.join();
  look();
}

std::vector<SeriesSummary> summarize_series(const std::vector<store::RawSample>& samples,
                                            double begin_s, double end_s) {
  std::vector<SeriesSummary> summaries;
  std::vector<int> counts;  // 0: so far only a sample from before the window
  for (const auto& sample : samples) {
    if (sample.time_s > end_s) continue;
    const auto found = std::find_if(summaries.begin(), summaries.end(),
                                    [&](const auto& s) { return s.channel == sample.channel; });
    const auto i = static_cast<std::size_t>(found - summaries.begin());
    if (found == summaries.end()) {
      summaries.push_back({sample.channel, 0, 0, 0});
      counts.push_back(0);
    }
    SeriesSummary& summary = summaries[i];
    if (counts[i] == 0) summary = {sample.channel, sample.value, sample.value, sample.value};
    if (sample.time_s < begin_s) continue;
    ++counts[i];
    summary.mean += (sample.value - summary.mean) / counts[i];
    summary.low = std::min(summary.low, sample.value);
    summary.high = std::max(summary.high, sample.value);
  }
  std::erase_if(summaries, [](const SeriesSummary& summary) {
    return summary.channel.starts_with("clock:") && summary.high == 0;  // off
  });
  return summaries;
}

}  // namespace ridgewatt::measure
