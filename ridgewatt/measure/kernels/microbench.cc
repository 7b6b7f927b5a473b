#include "ridgewatt/measure/microbench.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <new>
#include <thread>

#include "ridgewatt/base/clock.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/parallel.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/base/thread.h"
#include "ridgewatt/measure/kernels/repetitions.h"
#include "ridgewatt/measure/kernels/vector_kernels.h"

namespace ridgewatt::measure {
namespace {

using Kernel = roofline::MicrobenchKernel;

// An array on pages of its own. The thread that uses it must create it (first touch).
template <typename T>
class Array {
 public:
  Array(std::size_t count, T value)
      : data_(static_cast<T*>(std::aligned_alloc(4096, (count * sizeof(T) + 4095) / 4096 * 4096))) {
    if (data_ == nullptr) throw std::bad_alloc();
    std::fill_n(data_, count, value);
  }
  ~Array() { std::free(data_); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  T* get() const { return data_; }

 private:
  T* data_;
};

// A barrier that spins, so that threads leave it within a microsecond of each other.
class SpinBarrier {
 public:
  explicit SpinBarrier(int count) : count_(count) {}
  void wait() {
    const int phase = phase_.load();
    if (!arrive()) {
      while (phase_.load() == phase) std::this_thread::yield();
    }
  }
  // Also called in place of a thread that could not be started. Returns true for the last arrival.
  bool arrive() {
    if (++arrived_ != count_) return false;
    arrived_ = 0;
    ++phase_;
    return true;
  }

 private:
  const int count_;
  std::atomic<int> arrived_{0};
  std::atomic<int> phase_{0};
};

// The memory of a thread. Its words are normal numbers as doubles as well, and so are the results
// of a triad.
using Memory = Array<float>;
constexpr float kFill = 0.5F;

// Time from the first start to the last end of a repetition over all threads. If one thread starts
// late, its own time would be too short, because the others have already finished.
class JointTime {
 public:
  explicit JointTime(std::size_t threads) : starts_s_(threads), ends_s_(threads) {}
  void start(std::size_t thread) { starts_s_[thread] = clock_.s(); }
  void end(std::size_t thread) { ends_s_[thread] = clock_.s(); }
  double now_s() const { return clock_.s(); }
  double last_s() const {
    return *std::max_element(ends_s_.begin(), ends_s_.end()) -
           *std::min_element(starts_s_.begin(), starts_s_.end());
  }

 private:
  Stopwatch clock_;
  std::vector<double> starts_s_, ends_s_;  // by thread; written between barriers
};

// A point: one repetition, and its work and traffic per thread.
struct BenchPoint {
  Kernel kernel = Kernel::kTriad;
  double work_flop = 0;
  double traffic_bytes = 0;
  std::function<void(Memory&)> body;
};

// Keeps its threads for all points, so that each thread reuses its memory. Waiting threads spin, so
// a point begins and ends at the same time on all threads.
class PointRunner {
 public:
  PointRunner(const MicrobenchOptions& options, int threads, std::size_t floats)
      : options_(options),
        threads_(threads),
        floats_(floats),
        barrier_(threads),
        time_(static_cast<std::size_t>(threads)) {}

  std::vector<MicrobenchResult> run(const std::vector<BenchPoint>& points) {
    ThreadGroup pool;
    try {
      for (int i = 1; i < threads_; ++i) {
        pool.add([this, &points, i] { work(points, static_cast<std::size_t>(i)); });
      }
    } catch (...) {  // nothing was measured: release the threads at the first barrier
      failed_ = true;
      for (int there = static_cast<int>(pool.size()); there < threads_; ++there) barrier_.arrive();
      throw;
    }
    work(points, 0);
    pool.join();
    if (error_) std::rethrow_exception(error_);
    if (failed_) {
      throw IoError("there is not enough memory for the microbenchmark", "", "lower --footprint");
    }
    return std::move(results_);
  }

 private:
  void work(const std::vector<BenchPoint>& points, std::size_t thread) {
    std::optional<Memory> memory;
    try {
      memory.emplace(floats_, kFill);
    } catch (const std::bad_alloc&) {
      failed_ = true;
    }
    barrier_.wait();
    for (const auto& point : points) {
      if (failed_) return;
      point.body(*memory);  // warm up clocks and caches
      barrier_.wait();
      if (thread == 0) lead([&] { begin(); });
      repeat(point, *memory, thread);
      if (thread == 0) lead([&] { end(point); });
      barrier_.wait();
    }
  }

  // Repeats the point until the first thread sets stop_.
  void repeat(const BenchPoint& point, Memory& memory, std::size_t thread) {
    while (true) {
      barrier_.wait();
      if (stop_) return;
      time_.start(thread);
      point.body(memory);
      time_.end(thread);
      barrier_.wait();
      if (thread != 0) continue;
      times_s_.push_back(time_.last_s());
      stop_ = enough_repetitions(times_s_, time_.now_s() - begun_s_, options_);
    }
  }

  // A step of the first thread only. After an exception, all threads leave after this point.
  void lead(const std::function<void()>& step) {
    if (failed_) return;
    try {
      step();
    } catch (...) {
      error_ = std::current_exception();
      failed_ = stop_ = true;
    }
  }

  void begin() {
    stop_ = false;
    times_s_.clear();
    if (options_.power_start) options_.power_start();
    begun_s_ = time_.now_s();
  }

  void end(const BenchPoint& point) {
    MicrobenchResult& result = results_.emplace_back();
    result.kernel = point.kernel;
    result.work_flop = point.work_flop * threads_;
    result.traffic_bytes = point.traffic_bytes * threads_;
    if (options_.power_stop) result.power_w = options_.power_stop();
    result.time_s = *std::min_element(times_s_.begin(), times_s_.end());
    result.median_time_s = median(times_s_);
    result.repetitions = static_cast<int>(times_s_.size());
    result.spread = spread_of(times_s_);
  }

  const MicrobenchOptions& options_;
  const int threads_;
  const std::size_t floats_;
  SpinBarrier barrier_;
  JointTime time_;
  std::atomic<bool> stop_{false};
  std::atomic<bool> failed_{false};
  // Used by the first thread only.
  double begun_s_ = 0;
  std::vector<double> times_s_;
  std::vector<MicrobenchResult> results_;
  std::exception_ptr error_;
};

// Stores the result of a kernel, so that the compiler cannot remove the work.
template <typename T>
void keep(T value) {
  volatile T sink = value;
  (void)sink;
}

std::vector<BenchPoint> arithmetic_points() {
  constexpr std::size_t kRounds = 20000;
  const VectorKernels& kernels = vector_kernels();
  const double vector_flop = 2.0 * kFmaPerRound * kRounds * kernels.width_bytes;
  return {{Kernel::kFmaFp32, vector_flop / sizeof(float), 0,
           [&](Memory&) { keep(kernels.fma_fp32(kRounds)); }},
          {Kernel::kFmaFp64, vector_flop / sizeof(double), 0,
           [&](Memory&) { keep(kernels.fma_fp64(kRounds)); }}};
}

// STREAM counts 24 bytes per element, without the read of a line before a store (McCalpin).
BenchPoint triad_point(std::size_t doubles) {
  const auto elements = static_cast<double>(doubles);
  return {Kernel::kTriad, 2.0 * elements, 24.0 * elements, [doubles](Memory& memory) {
            auto* a = reinterpret_cast<double*>(memory.get());
            vector_kernels().triad(a, a + doubles, a + 2 * doubles, 3.0, doubles);
          }};
}

BenchPoint intensity_point(double intensity, std::size_t floats) {
  const IntensityKernel kernel = nearest_intensity_kernel(intensity);
  // A compute-bound repetition covers less memory, so that there are several repetitions per point.
  const double shrink = std::clamp(16.0 / kernel.flop_per_float(), 1.0 / 64, 1.0);
  const auto count = static_cast<std::size_t>(static_cast<double>(floats) * shrink) /
                         kIntensityBlock * kIntensityBlock +
                     kIntensityBlock;
  return {Kernel::kIntensity, kernel.flop_per_float() * static_cast<double>(count),
          sizeof(float) * static_cast<double>(count), [kernel, count](Memory& memory) {
            keep(vector_kernels().intensity(memory.get(), count, kernel.fma, kernel.group));
          }};
}

}  // namespace

void add_idle_point(const MicrobenchOptions& options, MicrobenchSummary& summary) {
  const bool powered = std::any_of(summary.points.begin(), summary.points.end(),
                                   [](const auto& point) { return point.power_w.has_value(); });
  if (!powered) return;
  options.power_start();
  std::this_thread::sleep_for(std::chrono::duration<double>(options.seconds_per_point));
  const auto power_w = options.power_stop();
  const double time_s = options.seconds_per_point;
  summary.points.push_back({Kernel::kIdle, 0, 0, time_s, time_s, 1, power_w});
}

IntensityKernel nearest_intensity_kernel(double intensity) {
  if (!(intensity > 0) || intensity > 1e6) {
    throw UsageError(fmt::format("no microbenchmark has an intensity of {} FLOP/byte", intensity));
  }
  const double fma = 2 * intensity;
  if (fma >= 0.75) return {std::max(1, static_cast<int>(std::lround(fma))), 1};
  return {0, static_cast<int>(std::min(std::exp2(std::round(-std::log2(fma))), 64.0))};
}

const MicrobenchResult* MicrobenchSummary::find(roofline::MicrobenchKernel kernel) const {
  for (const auto& point : points) {
    if (point.kernel == kernel) return &point;
  }
  return nullptr;
}

double MicrobenchSummary::peak_flops() const {
  double peak = 0;
  for (const auto& point : points) {
    if (point.kernel == Kernel::kFmaFp32 || point.kernel == Kernel::kIntensity) {
      peak = std::max(peak, point.work_flop / point.time_s);
    }
  }
  return peak;
}

double MicrobenchSummary::peak_bandwidth_bytes_s() const {
  double peak = 0;
  for (const auto& point : points) {
    if (point.kernel == Kernel::kTriad || point.kernel == Kernel::kIntensity) {
      peak = std::max(peak, point.traffic_bytes / point.time_s);
    }
  }
  return peak;
}

MicrobenchSummary run_cpu_microbench(const MicrobenchOptions& options) {
  if (!(options.seconds_per_point > 0)) throw UsageError("the seconds per point must be positive");
  const int threads = options.threads > 0 ? options.threads : available_threads();
  const std::size_t share = options.footprint_bytes / static_cast<std::size_t>(threads);
  const std::size_t doubles = std::max<std::size_t>(share / 3 / sizeof(double) / 1024 * 1024, 1024);
  const std::size_t floats =
      std::max<std::size_t>(share / sizeof(float) / kIntensityBlock, 1) * kIntensityBlock;
  std::vector<BenchPoint> points = arithmetic_points();
  points.push_back(triad_point(doubles));
  for (const double intensity : options.intensities) {
    points.push_back(intensity_point(intensity, floats));
  }
  MicrobenchSummary summary;
  summary.device = fmt::format("cpu, {}, {} threads", vector_kernels().isa, threads);
  // The highest intensities access up to one block more than the share.
  const std::size_t room = std::max(floats + kIntensityBlock, 6 * doubles);
  summary.points = PointRunner(options, threads, room).run(points);
  add_idle_point(options, summary);
  return summary;
}

}  // namespace ridgewatt::measure
