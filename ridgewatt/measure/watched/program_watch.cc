#include "ridgewatt/measure/program_watch.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

#include "ridgewatt/base/clock.h"
#include "ridgewatt/base/contains.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/progress.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/measure/machine_series.h"
#include "ridgewatt/measure/sampling/recording.h"
#include "ridgewatt/measure/watched/code_samples.h"
#include "ridgewatt/measure/watched/process_use.h"
#include "ridgewatt/platform/jetson_sensors.h"
#include "ridgewatt/platform/mode_control.h"

namespace ridgewatt::measure {
namespace {

constexpr double kWatchS = 0.1;      // between two snapshots
constexpr double kLeastS = 0.1;      // the kernel counts CPU time in ticks of 10 ms
constexpr int kLibrariesEvery = 10;  // snapshots; reading the maps of a large program takes long

// The knob of a clock; for the CPU, that of the first core.
std::optional<Knob> knob_of(const std::string& clock) {
  if (clock == "gpu") return Knob::kGpuClock;
  if (clock == "emc") return Knob::kMemClock;
  if (clock == "cpu0") return Knob::kCpuClock;
  return {};
}

}  // namespace

class ProgramWatch::State {
 public:
  State(const platform::Sysfs& sysfs, pid_t root) : sysfs_(sysfs), root_(root), reader_(sysfs) {
    first_throttling_ = reader_.read().throttling;
    // Exclude everything before the start of this object.
    for (const pid_t process : process_tree(process_table(), root)) {
      first_threads_[process] = threads_of(process);
    }
    first_faults_ = process_table();
    first_machine_ = read_machine_use();
    own_s_ = own_cpu_s();
    begin_s_ = monotonic_s();  // set last, since reading may take long
  }

  void look() {
    end_s_ = monotonic_s();
    look_at_sensors();
    look_at_processes();
    sample_threads();
    machine_ = read_machine_use();
  }

  SeenRun seen() const {
    SeenRun seen;
    seen.time_s = end_s_ - begin_s_;
    if (!(seen.time_s > 0)) return seen;
    add_sensors(seen);
    if (seen.time_s >= kLeastS) add_processes(seen);
    return seen;
  }

 private:
  struct RunningMean {
    double sum = 0;
    int count = 0;
    void add(double value) { sum += value, ++count; }
    std::optional<double> value() const {
      return count > 0 ? std::optional(sum / count) : std::nullopt;
    }
  };

  static double own_cpu_s() {
    double sum = 0;
    for (const auto& [thread, use] : threads_of(::getpid())) sum += use.cpu_s;
    return sum;
  }

  void look_at_sensors() {
    const platform::SensorSnapshot now = reader_.read();
    for (const auto& clock : now.clocks) {
      const auto knob = knob_of(clock.name);
      if (knob && clock.clock_hz > 0) clocks_[*knob].add(clock.clock_hz);
    }
    for (const auto& load : now.loads) {
      if (load.name == "gpu") gpu_load_.add(load.load);
    }
    last_throttling_ = now.throttling;
    try {
      state_ = platform::read_mode_state(sysfs_, reader_.layout(), nullptr);
    } catch (const Error&) {
      state_.reset();  // no knobs
    }
  }

  void look_at_processes() {
    const auto table = process_table();
    const auto tree = process_tree(table, root_);
    if (busiest_ != 0) {
      const auto workers = process_tree(table, busiest_);
      workers_.insert(workers.begin(), workers.end());
    }
    bool blocked = false;
    for (const pid_t process : tree) {
      faults_[process] = table.at(process);
      for (const auto& [thread, use] : threads_of(process)) {
        threads_[process][thread] = use;
        blocked = blocked || use.blocked;
      }
    }
    if (tree.empty()) return;
    blocked_.add(blocked ? 1 : 0);
    look_at_limits(tree);
    for (const int process : gpu_processes(sysfs_)) {
      const bool ours = contains(tree, process);
      const std::string text = std::to_string(process);
      const bool known = contains(others_, text);
      if (!ours && !known && process != ::getpid()) others_.push_back(text);
    }
  }

  // Reads the limits of the process with the most CPU time.
  void look_at_limits(const std::vector<pid_t>& tree) {
    const auto busiest = *std::max_element(tree.begin(), tree.end(),
                                           [&](pid_t a, pid_t b) { return cpu_s(a) < cpu_s(b); });
    const bool another = busiest != busiest_;
    if (another) {
      busiest_ = busiest;
      samples_.clear();
      workers_.clear();
    }
    allowed_ = allowed_cpus(busiest);
    // A process that ends leaves its version 1 group and then shows no limit, so keep the old
    // value.
    const auto quota = read_cpu_quota(busiest);
    const bool ends = quota && !quota->cores && quota_ && quota_->cores;
    if (quota && !ends) {
      const bool first = !first_quota_ || !first_quota_->cores;
      if (first || quota->periods < first_quota_->periods) first_quota_ = quota;
      quota_ = quota;
    }
    if (looks_++ % kLibrariesEvery != 0 && !another) return;
    if (const std::string maps = maps_of(busiest); !maps.empty()) {
      libraries_ = libraries_in(maps);
      code_ = runtime_code(maps);
    }
    threads_set_ = threads_set(busiest);
    if (const auto files = profile_files(busiest)) profile_files_ = std::max(profile_files_, files);
  }

  // Samples the main thread of the busiest process, and other threads that use CPU time.
  void sample_threads() {
    constexpr double kUsesS = 0.05;   // chosen
    constexpr std::size_t kMost = 8;  // the kernel limits the memory for samples
    const auto threads = threads_.find(busiest_);
    if (threads == threads_.end()) return;
    samples_.try_emplace(busiest_, busiest_);
    for (const auto& [thread, use] : threads->second) {
      if (samples_.size() >= kMost) break;
      if (used_s(busiest_, thread) > kUsesS) samples_.try_emplace(thread, thread);
    }
    for (auto& [thread, samples] : samples_) samples.take(code_);
  }

  double used_s(pid_t process, pid_t thread) const {
    return threads_.at(process).at(thread).cpu_s - first_of(process, thread).cpu_s;
  }

  // CPU time of the threads of the busiest process that compute outside of runtimes, without its
  // main thread, and of its child processes. Empty if neither is known.
  std::optional<double> workers_s() const {
    constexpr double kOutside = 0.5;  // chosen: share of CPU time in runtimes
    std::optional<double> sum;
    for (const auto& [thread, samples] : samples_) {
      const auto share = samples.runtime_share();
      if (!share) continue;
      const bool works = thread != busiest_ && *share < kOutside;
      sum = sum.value_or(0) + (works ? used_s(busiest_, thread) : 0);
    }
    for (const pid_t process : workers_) {
      const auto threads = threads_.find(process);
      if (process == busiest_ || threads == threads_.end()) continue;
      for (const auto& [thread, use] : threads->second) {
        sum = sum.value_or(0) + used_s(process, thread);
      }
    }
    return sum;
  }

  double cpu_s(pid_t process) const {
    double sum = 0;
    const auto found = threads_.find(process);
    if (found == threads_.end()) return 0;
    for (const auto& [thread, use] : found->second) sum += use.cpu_s;
    return sum;
  }

  ThreadUse first_of(pid_t process, pid_t thread) const {
    const auto found = first_threads_.find(process);
    if (found == first_threads_.end()) return {0, 0, false};
    const auto one = found->second.find(thread);
    return one == found->second.end() ? ThreadUse{0, 0, false} : one->second;
  }

  void add_sensors(SeenRun& seen) const {
    for (const Knob knob : kKnobs) {
      if (const auto mean = clocks_[knob].value()) seen.clocks.set(knob, *mean);
    }
    seen.gpu_load = gpu_load_.value();
    if (state_) {
      seen.limits = state_->limits;
      seen.limits.governor.clear();  // limits of clocks only, whatever the governor
      seen.preset = state_->preset;
    }
    if (last_throttling_.empty()) return;
    using Kind = platform::ThrottleSignal::Kind;
    const auto rose = platform::throttled(first_throttling_, last_throttling_);
    seen.hot.emplace();
    seen.over_current.emplace();
    for (const auto& signal : last_throttling_) {
      if (!contains(rose, signal.name)) continue;
      (signal.kind == Kind::kThermal ? seen.hot : seen.over_current)->push_back(signal.name);
    }
  }

  void add_processes(SeenRun& seen) const {
    double cpu = 0, wait = 0, busiest = 0, faults = 0, touched = 0;
    bool waits = false;
    for (const auto& [process, threads] : threads_) {
      for (const auto& [thread, use] : threads) {
        const ThreadUse before = first_of(process, thread);
        cpu += use.cpu_s - before.cpu_s;
        busiest = std::max(busiest, use.cpu_s - before.cpu_s);
        if (!use.wait_s) continue;
        waits = true;
        wait += *use.wait_s - before.wait_s.value_or(0);
      }
    }
    if (threads_.empty()) return;
    for (const auto& [process, use] : faults_) {
      const auto before = first_faults_.find(process);
      const bool known = before != first_faults_.end();
      faults += use.major_faults - (known ? before->second.major_faults : 0);
      touched += use.minor_faults - (known ? before->second.minor_faults : 0);
    }
    seen.program_cores = cpu / seen.time_s;
    seen.busiest_thread = busiest / seen.time_s;
    seen.major_faults_per_s = faults / seen.time_s;
    seen.touched_bytes_per_s = touched * static_cast<double>(::sysconf(_SC_PAGESIZE)) / seen.time_s;
    add_main_thread(seen);
    if (const auto workers = workers_s()) seen.worker_cores = *workers / seen.time_s;
    if (profile_files_) seen.profile_files = *profile_files_;
    seen.io_wait_share = blocked_.value();
    if (waits && cpu + wait > 0) seen.run_delay_share = wait / (cpu + wait);
    seen.cpus_online = static_cast<double>(::sysconf(_SC_NPROCESSORS_ONLN));
    if (allowed_) seen.cpus_allowed = *allowed_;
    seen.gpu_processes = others_;
    if (threads_set_) seen.threads_set = *threads_set_;
    seen.libraries = libraries_;
    if (quota_) add_quota(seen);
    if (!machine_ || !first_machine_) return;
    const double busy = machine_->busy_s - first_machine_->busy_s;
    seen.other_cores = std::max(0.0, busy - cpu - (own_cpu_s() - own_s_)) / seen.time_s;
    seen.swap_bytes_per_s = (machine_->swap_bytes - first_machine_->swap_bytes) / seen.time_s;
  }

  void add_main_thread(SeenRun& seen) const {
    // chosen: below this share, the main thread leaves the work to other threads
    constexpr double kComputes = 0.01;
    const auto threads = threads_.find(busiest_);
    if (threads == threads_.end() || !threads->second.contains(busiest_)) return;
    const ThreadUse& now = threads->second.at(busiest_);
    const ThreadUse before = first_of(busiest_, busiest_);
    const double cpu_s = now.cpu_s - before.cpu_s;
    if (!now.wait_s || cpu_s < kComputes * seen.time_s) return;
    const double wait_s = *now.wait_s - before.wait_s.value_or(0);
    seen.main_idle = std::max(0.0, 1 - (cpu_s + wait_s) / seen.time_s);
    const auto samples = samples_.find(busiest_);
    if (samples != samples_.end()) seen.runtime_share = samples->second.runtime_share();
  }

  void add_quota(SeenRun& seen) const {
    seen.quota_cores = quota_->cores;
    const double periods = quota_->periods - first_quota_->periods;
    const double stopped = quota_->stopped - first_quota_->stopped;
    seen.quota_wait_share = quota_->cores && periods > 0 ? stopped / periods : 0;
  }

  const platform::Sysfs& sysfs_;
  pid_t root_;
  platform::SensorReader reader_;
  double begin_s_ = 0, end_s_ = 0, own_s_ = 0;
  std::vector<platform::ThrottleSignal> first_throttling_, last_throttling_;
  std::optional<platform::ModeState> state_;
  KnobArray<RunningMean> clocks_;
  RunningMean gpu_load_, blocked_;
  std::optional<MachineUse> first_machine_, machine_;
  std::map<pid_t, std::map<pid_t, ThreadUse>> first_threads_, threads_;
  std::map<pid_t, ProcessUse> first_faults_, faults_;
  pid_t busiest_ = 0;                     // process with the most CPU time
  std::set<pid_t> workers_;               // itself and its children
  AddressRanges code_;                    // of its runtimes
  std::map<pid_t, CodeSamples> samples_;  // of its threads
  std::optional<CpuQuota> first_quota_, quota_;
  std::optional<int> allowed_, threads_set_, profile_files_;
  std::optional<std::vector<std::string>> libraries_;
  int looks_ = 0;
  std::vector<std::string> others_;
};

ProgramWatch::ProgramWatch(const platform::Sysfs& sysfs, pid_t root)
    : state_(std::make_unique<State>(sysfs, root)) {}

ProgramWatch::~ProgramWatch() = default;

void ProgramWatch::look() {
  state_->look();
}

SeenRun ProgramWatch::seen() const {
  return state_->seen();
}

namespace {

// Adds results from the marks and from the kernel's counters for the whole run.
void add_measured(const Measurement& measured, SeenRun& seen) {
  std::vector<double> times;
  for (const auto& minibatch : measured.minibatches) times.push_back(minibatch.time_s());
  if (times.size() > 2) seen.mean_over_median = mean(times) / median(times);
  if (times.size() >= 10) seen.time_ratio = quantile(times, 0.9) / quantile(times, 0.1);
  const MinibatchSummary& summary = measured.summary;
  if (!times.empty()) seen.marked_s = median(times);
  if (summary.fetch_marked && summary.time_s > 0)
    seen.fetch_share = summary.fetch_s / summary.time_s;
  const double time_s = measured.end_s - measured.begin_s;
  if (measured.io && time_s > 0)
    seen.storage_bytes_per_s = measured.io->storage_read_bytes / time_s;
}

}  // namespace

SeenProgram measure_and_watch(const platform::Sysfs& sysfs, MeasureOptions options,
                              std::optional<double> for_s, platform::PowerMeter& meter) {
  // chosen: minimum time since the first mark, to exclude the time before it
  constexpr double kLong = 1;
  std::unique_ptr<ProgramWatch> watch, since_mark;
  double begin_s = 0, looked_s = 0;
  options.idle_s = 0;
  options.window.warm_up = 0;  // first minibatches are evidence
  options.go_on = [&](std::size_t marked) {
    const double now_s = monotonic_s();
    if (!watch) {
      watch = std::make_unique<ProgramWatch>(sysfs, ::getpid());
      begin_s = now_s;
    }
    if (marked > 0 && !since_mark) since_mark = std::make_unique<ProgramWatch>(sysfs, ::getpid());
    if (now_s >= looked_s + kWatchS) {
      watch->look();
      if (since_mark) since_mark->look();
      looked_s = now_s;
    }
    return !for_s || now_s < begin_s + *for_s;
  };
  SeenProgram found;
  found.measurement = measure_command(sysfs, options, meter);
  if (watch) found.seen = watch->seen();
  if (since_mark && since_mark->seen().time_s > kLong) found.seen = since_mark->seen();
  add_measured(found.measurement, found.seen);
  return found;
}

SeenProgram watch_process(const platform::Sysfs& sysfs, pid_t process, double for_s,
                          platform::PowerMeter& meter) {
  const std::string folder = "/proc/" + std::to_string(process);
  if (::access(folder.c_str(), F_OK) != 0) {
    throw NotFoundError("there is no process with this id", std::to_string(process),
                        "the program may have ended");
  }
  MeasureOptions options;
  options.idle_s = 0;
  options.window.warm_up = 0;
  Recording recording(sysfs, meter, options);
  recording.begin();
  ProgramWatch watch(sysfs, process);
  SeenProgram found;
  found.measurement.begin_s = monotonic_s();
  double now_s = found.measurement.begin_s;
  while (now_s < found.measurement.begin_s + for_s && ::access(folder.c_str(), F_OK) == 0) {
    watch.look();
    recording.drain();
    check_work();
    std::this_thread::sleep_for(std::chrono::duration<double>(kWatchS));
    now_s = monotonic_s();
  }
  found.measurement.end_s = now_s;
  recording.stop();
  recording.add_costs({}, options.window, true, found.measurement);
  found.seen = watch.seen();
  add_measured(found.measurement, found.seen);
  return found;
}

void require_success(int status, const std::vector<std::string>& program) {
  if (status == 0) return;
  throw Error("the command failed with status " + std::to_string(status), program.front());
}

}  // namespace ridgewatt::measure
