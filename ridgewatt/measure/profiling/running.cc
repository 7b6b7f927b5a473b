#include "ridgewatt/measure/running.h"

#include <sys/resource.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/thread.h"
#include "ridgewatt/measure/sampling/mark_record.h"
#include "ridgewatt/measure/sampling/recording.h"
#include "ridgewatt/pipeline/process_io.h"

namespace ridgewatt::measure {
namespace {

constexpr std::size_t kMostEndedWindows = 65536;
constexpr double kKeepEveryS = 0.5;

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

rusage usage_of_process() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage;
}

}  // namespace

class RunningMeasurement::State {
 public:
  State(const platform::Sysfs& sysfs, const MeasureOptions& options)
      : options_(checked(options)), meter_(sysfs), recording_(sysfs, meter_, options_) {
    keeper_ = quiet_thread([this] { keep(); });
  }
  ~State() { end_keeper(); }

  bool ours() const { return ::getpid() == owner_; }
  platform::PowerMeter& meter() { return meter_; }

  void begin() {
    const std::lock_guard lock(mutex_);
    if (stage_ != Stage::kIdle) throw UsageError("the measurement was already started");
    recording_.drain();
    recording_.begin();
    usage_ = usage_of_process();
    io_ = pipeline::read_process_io(owner_);
    begin_s_ = monotonic_s();
    stage_ = Stage::kRunning;
  }
  void add_mark(TimedMark::Kind kind, const std::string& name = "") {
    const double now_s = monotonic_s();
    const std::lock_guard lock(mutex_);
    require_running();
    marks_.add({kind, name, now_s});
  }
  std::size_t begin_window(const std::string& name) {
    const std::lock_guard lock(mutex_);
    require_running();
    open_[next_window_] = {.name = name, .begin_s = monotonic_s()};
    return next_window_++;
  }
  WindowCost end_window(std::size_t number) {
    const double now_s = monotonic_s();
    const std::lock_guard lock(mutex_);
    require_running();
    const auto found = open_.find(number);
    if (found == open_.end()) throw UsageError("the window has already been closed");
    end_open(found, now_s);
    return priced(ended_.back().second);
  }
  WindowCost window(std::size_t number) {
    const std::lock_guard lock(mutex_);
    const auto open = open_.find(number);
    if (open != open_.end()) return priced(open->second);
    for (auto at = ended_.rbegin(); at != ended_.rend(); ++at) {
      if (at->first == number) return priced(at->second);
    }
    throw UsageError("there is no window with this number; only the newest 65536 are kept", "",
                     "read a window's result before 65536 newer windows end");
  }
  std::vector<WindowCost> windows() {
    const std::lock_guard lock(mutex_);
    std::vector<WindowCost> costs;
    for (const auto& [number, cost] : ended_) costs.push_back(priced(cost));
    return costs;
  }
  WindowCost so_far() {
    const std::lock_guard lock(mutex_);
    require_running();
    return priced({.begin_s = begin_s_});
  }
  std::size_t forgotten() {
    const std::lock_guard lock(mutex_);
    return marks_.forgotten();
  }

  Measurement stop(int status) {
    end_keeper();
    const std::lock_guard lock(mutex_);
    require_running();
    Measurement result;
    result.status = status;
    result.begin_s = begin_s_;
    result.end_s = monotonic_s();
    while (!open_.empty()) end_open(open_.begin(), result.end_s);
    stage_ = Stage::kEnded;
    const rusage usage = usage_of_process();
    result.user_s = seconds_of(usage.ru_utime) - seconds_of(usage_.ru_utime);
    result.system_s = seconds_of(usage.ru_stime) - seconds_of(usage_.ru_stime);
    result.peak_memory_bytes = static_cast<double>(usage.ru_maxrss) * 1024;
    if (const auto io = pipeline::read_process_io(owner_); io && io_) result.io = *io - *io_;
    recording_.stop();
    settle_windows();
    recording_.add_costs(marks_.marks(), options_.window, /*steady=*/true, result);
    return result;
  }

 private:
  enum class Stage { kIdle, kRunning, kEnded };
  using Windows = std::map<std::size_t, WindowCost>;

  static const MeasureOptions& checked(const MeasureOptions& options) {
    options.check();
    return options;
  }
  void require_running() const {
    if (stage_ == Stage::kIdle) throw UsageError("the measurement was not started");
    if (stage_ == Stage::kEnded) throw UsageError("the measurement has already ended");
  }
  void end_open(Windows::iterator window, double end_s) {
    window->second.end_s = end_s;
    window->second.ended = true;
    ended_.emplace_back(window->first, std::move(window->second));
    open_.erase(window);
    ++unsettled_;
    if (ended_.size() > kMostEndedWindows) {
      ended_.pop_front();
      unsettled_ = std::min(unsettled_, ended_.size());
    }
  }
  // Returns the cost with the energy of the samples so far, unless the energy is final.
  WindowCost priced(WindowCost cost) {
    if (!cost.ended) cost.end_s = stage_ == Stage::kEnded ? cost.begin_s : monotonic_s();
    if (cost.settled || !recording_.has_power()) return cost;
    if (stage_ != Stage::kEnded) recording_.drain();
    cost.energy = recording_.energy(cost.begin_s, cost.end_s);
    return cost;
  }
  // Makes the energy of windows that end before the newest sample final.
  void settle_windows() {
    const auto& newest = recording_.power().newest();
    for (; unsettled_ > 0; --unsettled_) {
      WindowCost& cost = ended_[ended_.size() - unsettled_].second;
      const bool sampled = !newest.empty() && newest.back().time_s >= cost.end_s;
      if (recording_.has_power() && !sampled && stage_ != Stage::kEnded) return;
      cost.energy = recording_.energy(cost.begin_s, cost.end_s);
      cost.settled = true;
    }
  }
  void keep() {
    std::unique_lock lock(mutex_);
    const std::chrono::duration<double> interval(kKeepEveryS);
    while (!wake_.wait_for(lock, interval, [this] { return end_; })) {
      recording_.drain();
      settle_windows();
    }
  }
  void end_keeper() {
    {
      const std::lock_guard lock(mutex_);
      end_ = true;
    }
    wake_.notify_all();
    const std::lock_guard joining(join_);  // two threads may call this at the same time
    if (keeper_.joinable()) keeper_.join();
  }

  const pid_t owner_ = ::getpid();
  const MeasureOptions options_;
  platform::PowerMeter meter_;
  Recording recording_;
  std::mutex mutex_, join_;
  Stage stage_ = Stage::kIdle;
  double begin_s_ = 0;
  rusage usage_{};
  std::optional<pipeline::ProcessIo> io_;
  MarkRecord marks_;
  Windows open_;
  std::size_t next_window_ = 0;
  std::deque<std::pair<std::size_t, WindowCost>> ended_;
  std::size_t unsettled_ = 0;  // number of entries at the end of ended_ without final energy
  std::condition_variable wake_;
  bool end_ = false;
  std::thread keeper_;
};

RunningMeasurement::RunningMeasurement(const platform::Sysfs& sysfs, const MeasureOptions& options)
    : state_(std::make_unique<State>(sysfs, options)) {}

// A forked child does not have the threads of its parent, so it must not wait for them.
RunningMeasurement::~RunningMeasurement() {
  if (!state_->ours()) static_cast<void>(state_.release());
}

bool RunningMeasurement::ours() const {
  return state_->ours();
}

RunningMeasurement::State& RunningMeasurement::state() const {
  if (!state_->ours())
    throw UsageError("a forked process cannot use the measurement of its parent process");
  return *state_;
}

const std::string& RunningMeasurement::source() const {
  return state().meter().description();
}

bool RunningMeasurement::has_power() const {
  return state().meter().source() != nullptr;
}

void RunningMeasurement::begin() {
  state().begin();
}

void RunningMeasurement::mark() {
  state().add_mark(TimedMark::Kind::kMinibatch);
}

void RunningMeasurement::fetched() {
  state().add_mark(TimedMark::Kind::kFetched);
}

void RunningMeasurement::begin_phase(const std::string& name) {
  state().add_mark(TimedMark::Kind::kBegin, name);
}

void RunningMeasurement::end_phase(const std::string& name) {
  state().add_mark(TimedMark::Kind::kEnd, name);
}

std::size_t RunningMeasurement::begin_window(const std::string& name) {
  return state().begin_window(name);
}

WindowCost RunningMeasurement::end_window(std::size_t window) {
  return state().end_window(window);
}

WindowCost RunningMeasurement::window(std::size_t window) {
  return state().window(window);
}

std::vector<WindowCost> RunningMeasurement::windows() {
  return state().windows();
}

WindowCost RunningMeasurement::so_far() {
  return state().so_far();
}

Measurement RunningMeasurement::stop(int status) {
  return state().stop(status);
}

std::size_t RunningMeasurement::forgotten_marks() {
  return state().forgotten();
}

}  // namespace ridgewatt::measure
