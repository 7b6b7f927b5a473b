#include "ridgewatt/monitor/monitor.h"

#include <pthread.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <limits>
#include <mutex>
#include <thread>
#include <utility>

#include "ridgewatt/base/check_option.h"
#include "ridgewatt/base/clock.h"
#include "ridgewatt/base/thread.h"
#include "ridgewatt/device/mode_text.h"
#include "ridgewatt/monitor/watch/mode_watch.h"
#include "ridgewatt/monitor/watch/power_ledger.h"
#include "ridgewatt/monitor/watch/process_watch.h"
#include "ridgewatt/monitor/watch/throttle_watch.h"

namespace ridgewatt::monitor {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr double kDrainEveryS = 1;      // the sampler's ring is finite
constexpr double kSecondLookS = 0.25;   // loads need two readings
constexpr double kProcessesEveryS = 2;  // a reading opens hundreds of files

double seconds_of_clock(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

std::size_t ring_size(double rate_hz) {
  return static_cast<std::size_t>(std::max(256.0, 8 * kDrainEveryS * rate_hz));
}

// The load with this name.
double load_of(const platform::MachineReading& machine, const char* name) {
  for (const auto& load : machine.snapshot.loads) {
    if (load.name == name) return load.load;
  }
  return kUnknown;
}

HistoryPoint history_point(const platform::MachineReading& machine, double time_s) {
  HistoryPoint point;
  point.time_s = time_s;
  point.cpu_load = load_of(machine, "cpu");
  point.gpu_load = load_of(machine, "gpu");
  for (const auto& clock : machine.snapshot.clocks) {
    if (point.gpu_clock_hz == 0 && clock.name.rfind("gpu", 0) == 0) {
      point.gpu_clock_hz = clock.clock_hz;
    }
  }
  point.hottest_celsius = kUnknown;
  const auto hotter = [&](const std::optional<double>& celsius) {
    if (celsius) point.hottest_celsius = std::fmax(point.hottest_celsius, *celsius);
  };
  for (const auto& zone : machine.snapshot.temperatures) hotter(zone.celsius);
  for (const auto& gpu : machine.gpus) {
    hotter(gpu.temperature_celsius);
    if (std::isnan(point.gpu_load)) point.gpu_load = gpu.load.value_or(kUnknown);
    if (point.gpu_clock_hz == 0) point.gpu_clock_hz = gpu.clock_hz.value_or(0);
  }
  return point;
}

}  // namespace

void MonitorOptions::check() const {
  require_option(rate_hz >= 1 && rate_hz <= 1000, "MonitorOptions::rate_hz", rate_hz,
                 "1 to 1000 Hz");
  require_option(look_s >= 0.1 && look_s <= 60, "MonitorOptions::look_s", look_s, "0.1 to 60 s");
  require_option(history >= 1 && history <= 1000000, "MonitorOptions::history", history,
                 "1 to 1000000 readings");
}

class Monitor::State {
 public:
  State(const platform::Sysfs& sysfs, const MonitorOptions& options)
      : options_(checked(options)),
        look_s_(options.look_s),
        sensors_(sysfs),
        meter_(sysfs),
        modes_(sysfs),
        process_watch_(sysfs),
        start_s_(monotonic_s()) {
    open_power();
    look();
    thread_ = quiet_thread([this] { run(); });
  }
  ~State() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    thread_.join();
  }

  const platform::MachineSensors& sensors() const { return sensors_; }

  Snapshot snapshot() {
    const std::lock_guard lock(mutex_);
    Snapshot now = *newest_;
    refresh(now);
    return now;
  }
  std::shared_ptr<const Snapshot> wait(std::uint64_t after, double timeout_s) {
    std::unique_lock lock(mutex_);
    const std::chrono::duration<double> timeout(timeout_s);
    const bool came = looked_.wait_for(lock, timeout, [&] { return newest_->number > after; });
    return came ? newest_ : nullptr;
  }
  std::vector<HistoryPoint> history() {
    const std::lock_guard lock(mutex_);
    return {history_.begin(), history_.end()};
  }
  void set_look(double look_s) {
    MonitorOptions wanted = options_;
    wanted.look_s = look_s;
    wanted.check();
    const std::lock_guard lock(mutex_);
    look_s_ = look_s;
  }
  void mark() {
    const std::lock_guard lock(mutex_);
    drain();
    ledger_->mark(monotonic_s());
  }
  std::size_t begin_window(const std::string& name) {
    const std::lock_guard lock(mutex_);
    drain();
    return ledger_->begin_window(name, monotonic_s());
  }
  Window end_window(std::size_t number) {
    const std::lock_guard lock(mutex_);
    drain();
    return ledger_->end_window(number, monotonic_s());
  }
  std::vector<Window> windows() {
    const std::lock_guard lock(mutex_);
    drain();
    return ledger_->windows(monotonic_s());
  }

 private:
  static const MonitorOptions& checked(const MonitorOptions& options) {
    options.check();
    return options;
  }
  void open_power();
  void name_rails(const std::vector<platform::PowerSource::Channel>& channels);
  void run();
  void look();  // called by the constructor once, then by the thread
  void drain();
  void refresh(Snapshot& snapshot);
  void fill_power(platform::MachineReading& machine, const Snapshot& snapshot) const;

  const MonitorOptions options_;
  double look_s_;  // current interval; guarded by mutex_
  platform::MachineSensors sensors_;
  platform::PowerMeter meter_;
  ModeWatch modes_;
  ProcessWatch process_watch_;
  ThrottleWatch throttle_watch_;
  const double start_s_;
  std::unique_ptr<measure::Sampler> sampler_;
  // Used only by the reading thread.
  std::vector<Process> processes_;
  double processes_s_ = 0;

  std::mutex mutex_;
  std::unique_ptr<PowerLedger> ledger_;
  std::vector<measure::PowerSample> drained_;
  Snapshot first_;  // the constant fields
  std::shared_ptr<const Snapshot> newest_;
  std::deque<HistoryPoint> history_;
  double looking_cpu_s_ = 0;
  std::condition_variable looked_, wake_;
  bool stop_ = false;
  std::thread thread_;
};

void Monitor::State::open_power() {
  platform::PowerSource* source = meter_.source();
  first_.has_power = source != nullptr;
  (source != nullptr ? first_.power_source : first_.power_note) = meter_.description();
  if (source == nullptr) {
    ledger_ = std::make_unique<PowerLedger>(std::vector<platform::PowerSource::Channel>{}, false,
                                            options_.rate_hz);
    return;
  }
  measure::Sampler::Options options;
  options.rate_hz = std::max(1.0, meter_.usable_rate_hz(options_.rate_hz));
  options.capacity = ring_size(options.rate_hz);
  first_.rate_hz = options.rate_hz;
  ledger_ =
      std::make_unique<PowerLedger>(source->channels(), source->tells_means(), options.rate_hz);
  name_rails(source->channels());
  sampler_ = std::make_unique<measure::Sampler>(*source, options);
}

// The first channels are the rails, in the same order.
void Monitor::State::name_rails(const std::vector<platform::PowerSource::Channel>& channels) {
  const auto& rails = sensors_.rails().channels;
  for (std::size_t i = 0; i < channels.size(); ++i) {
    const bool rail = i < rails.size() && rails[i].rail == channels[i].name;
    first_.rails.push_back({.name = channels[i].name,
                            .source = rail ? rails[i].device : first_.power_source,
                            .in_total = channels[i].in_total});
  }
}

void Monitor::State::drain() {
  if (!sampler_) return;
  drained_.clear();
  sampler_->drain(drained_);
  for (const auto& sample : drained_) ledger_->add(sample);
}

void Monitor::State::refresh(Snapshot& snapshot) {
  drain();
  ledger_->fill(snapshot);
  snapshot.lost = sampler_ ? sampler_->lost() + sampler_->late() : 0;
  snapshot.sampling_cpu_s = (sampler_ ? sampler_->cpu_seconds() : 0) + looking_cpu_s_;
  fill_power(snapshot.machine, snapshot);
}

void Monitor::State::fill_power(platform::MachineReading& machine, const Snapshot& snapshot) const {
  platform::PowerReading missing;
  missing.error_number = ENODATA;
  machine.power.assign(sensors_.rails().channels.size(), missing);
  for (std::size_t i = 0; i < machine.power.size() && i < snapshot.rails.size(); ++i) {
    const auto& power_w = snapshot.rails[i].power_w;
    if (power_w) machine.power[i] = {0, *power_w, std::nullopt, std::nullopt};
  }
  machine.total_w = machine.power.empty() ? std::nullopt : snapshot.total_w;
}

void Monitor::State::look() {
  Snapshot now = first_;
  now.time_s = monotonic_s();
  now.unix_time_s = seconds_of_clock(CLOCK_REALTIME);
  now.since_s = now.time_s - start_s_;
  now.machine = sensors_.read_without_power();
  now.mode = modes_.look(now.machine.snapshot);
  now.throttle_events = throttle_watch_.look(now.machine);
  if (processes_s_ == 0 || now.time_s - processes_s_ >= kProcessesEveryS) {
    processes_ = process_watch_.look(now.time_s);
    processes_s_ = now.time_s;
  }
  now.processes = processes_;
  HistoryPoint point = history_point(now.machine, now.time_s);
  const std::lock_guard lock(mutex_);
  now.number = newest_ ? newest_->number + 1 : 1;
  if (newest_) looking_cpu_s_ = seconds_of_clock(CLOCK_THREAD_CPUTIME_ID);
  refresh(now);
  ledger_->add_means(point);
  history_.push_back(std::move(point));
  if (history_.size() > options_.history) history_.pop_front();
  newest_ = std::make_shared<const Snapshot>(std::move(now));
  looked_.notify_all();
}

void Monitor::State::run() {
  std::unique_lock lock(mutex_);
  double next_s = monotonic_s() + std::min(kSecondLookS, look_s_);
  while (!stop_) {
    next_s = std::min(next_s, monotonic_s() + look_s_);  // the interval may have become shorter
    const double left_s = next_s - monotonic_s();
    const std::chrono::duration<double> nap(std::clamp(left_s, 0.0, kDrainEveryS));
    if (wake_.wait_for(lock, nap, [this] { return stop_; })) break;
    drain();
    if (monotonic_s() < next_s) continue;
    lock.unlock();
    look();
    lock.lock();
    // After a delay, skip the missed readings.
    next_s = std::max(next_s + look_s_, monotonic_s());
  }
}

Monitor::Monitor(const platform::Sysfs& sysfs, MonitorOptions options)
    : state_(std::make_unique<State>(sysfs, options)) {}

Monitor::~Monitor() = default;

const platform::MachineSensors& Monitor::sensors() const {
  return state_->sensors();
}

Snapshot Monitor::snapshot() const {
  return state_->snapshot();
}

std::shared_ptr<const Snapshot> Monitor::wait(std::uint64_t after, double timeout_s) const {
  return state_->wait(after, timeout_s);
}

std::vector<HistoryPoint> Monitor::history() const {
  return state_->history();
}

void Monitor::set_look(double look_s) {
  state_->set_look(look_s);
}

void Monitor::mark() {
  state_->mark();
}

std::size_t Monitor::begin_window(const std::string& name) {
  return state_->begin_window(name);
}

Window Monitor::end_window(std::size_t number) {
  return state_->end_window(number);
}

std::vector<Window> Monitor::windows() const {
  return state_->windows();
}

}  // namespace ridgewatt::monitor
