#include "ridgewatt/measure/microbench.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <new>
#include <thread>

#include "ridgewatt/base/clock.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/parallel.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/base/thread.h"
#include "ridgewatt/measure/kernels/vector_kernels.h"

namespace ridgewatt::measure {
namespace {

using Kernel = roofline::MicrobenchKernel;

// An array on its own pages, touched by the thread that will use it.
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

// A barrier that spins: threads leave it within a microsecond of each other.
class SpinBarrier {
 public:
  explicit SpinBarrier(int count) : count_(count) {}
  void wait() {
    const int phase = phase_.load();
    if (!arrive()) {
      while (phase_.load() == phase) std::this_thread::yield();
    }
  }
  // In place of a thread that is not there; true: it was the last to come.
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

// What one thread does in one repetition; made in the thread, so that its memory is its own.
using Body = std::function<void()>;
using MakeBody = std::function<Body()>;

// From the first start to the last end of one repetition's threads: a thread that is held up before
// it starts must not be timed while the others are done and leave it the machine.
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
  std::vector<double> starts_s_, ends_s_;  // written between barriers, by thread
};

// What of a repetition belongs to one thread.
struct ThreadShare {
  double work_flop = 0;
  double traffic_bytes = 0;
};

// Repeats the work on all threads at once until the time is over.
MicrobenchResult run_point(roofline::MicrobenchKernel kernel, const ThreadShare& share,
                           const MakeBody& make_body, int threads,
                           const MicrobenchOptions& options) {
  std::vector<double> times_s;
  SpinBarrier barrier(threads);
  std::atomic<bool> stop{false};
  std::atomic<bool> failed{false};
  std::optional<double> power_w;
  JointTime time(static_cast<std::size_t>(threads));
  double begun_s = 0;
  const auto work = [&](std::size_t thread) {
    const bool leader = thread == 0;
    Body body;
    try {
      body = make_body();
      body();  // warm up: pages, clocks
    } catch (const std::bad_alloc&) {
      failed = true;
    }
    barrier.wait();
    if (failed) return;
    if (leader && options.power_start) options.power_start();
    if (leader) begun_s = time.now_s();
    while (true) {
      barrier.wait();
      if (stop) break;
      time.start(thread);
      body();
      time.end(thread);
      barrier.wait();
      if (!leader) continue;
      times_s.push_back(time.last_s());
      stop = times_s.size() >= 3 && time.now_s() - begun_s >= options.seconds_per_point;
    }
    if (leader && options.power_stop) power_w = options.power_stop();
  };
  ThreadGroup pool;
  try {
    for (int i = 1; i < threads; ++i) pool.add([&work, i] { work(static_cast<std::size_t>(i)); });
  } catch (...) {  // nothing is measured: the others leave at the first barrier
    failed = true;
    for (int there = static_cast<int>(pool.size()); there < threads; ++there) barrier.arrive();
    throw;
  }
  work(0);
  pool.join();
  if (failed) {
    throw IoError("not enough memory for the microbenchmark", std::string(name_of(kernel)),
                  "lower --footprint");
  }
  MicrobenchResult point{kernel, share.work_flop * threads, share.traffic_bytes * threads, 0, 0, 0,
                         power_w};
  point.time_s = *std::min_element(times_s.begin(), times_s.end());
  point.median_time_s = median(times_s);
  point.repetitions = static_cast<int>(times_s.size());
  return point;
}

// The result of a kernel goes here, so that its work cannot be left out.
template <typename T>
void keep(T value) {
  volatile T sink = value;
  (void)sink;
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
    throw UsageError(fmt::format("no kernel has an intensity of {} FLOP/byte", intensity));
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
  if (!(options.seconds_per_point > 0)) throw UsageError("seconds per point must be positive");
  const VectorKernels& kernels = vector_kernels();
  const int threads = options.threads > 0 ? options.threads : available_threads();
  MicrobenchSummary summary;
  summary.device = fmt::format("cpu, {}, {} threads", kernels.isa, threads);
  const auto add = [&](Kernel kernel, double flop, double bytes, const MakeBody& make) {
    summary.points.push_back(run_point(kernel, {flop, bytes}, make, threads, options));
  };

  constexpr std::size_t kRounds = 20000;
  const double vector_flop = 2.0 * kFmaPerRound * kRounds * kernels.width_bytes;
  add(Kernel::kFmaFp32, vector_flop / sizeof(float), 0,
      [&] { return [&] { keep(kernels.fma_fp32(kRounds)); }; });
  add(Kernel::kFmaFp64, vector_flop / sizeof(double), 0,
      [&] { return [&] { keep(kernels.fma_fp64(kRounds)); }; });

  const std::size_t share = options.footprint_bytes / static_cast<std::size_t>(threads);
  const std::size_t doubles = std::max<std::size_t>(share / 3 / sizeof(double) / 1024 * 1024, 1024);
  // STREAM counts 24 bytes per element; the line that a store reads first comes on top (McCalpin).
  add(Kernel::kTriad, 2.0 * static_cast<double>(doubles), 24.0 * static_cast<double>(doubles), [&] {
    auto a = std::make_shared<Array<double>>(doubles, 1.0);
    auto b = std::make_shared<Array<double>>(doubles, 2.0);
    auto c = std::make_shared<Array<double>>(doubles, 0.5);
    return [&, a, b, c] { kernels.triad(a->get(), b->get(), c->get(), 3.0, doubles); };
  });

  const std::size_t floats =
      std::max<std::size_t>(share / sizeof(float) / kIntensityBlock, 1) * kIntensityBlock;
  for (const double intensity : options.intensities) {
    const IntensityKernel kernel = nearest_intensity_kernel(intensity);
    // A compute-bound repetition walks less far, so that a point still has repetitions.
    const double shrink = std::clamp(16.0 / kernel.flop_per_float(), 1.0 / 64, 1.0);
    const auto count = static_cast<std::size_t>(static_cast<double>(floats) * shrink) /
                           kIntensityBlock * kIntensityBlock +
                       kIntensityBlock;
    add(Kernel::kIntensity, kernel.flop_per_float() * static_cast<double>(count),
        sizeof(float) * static_cast<double>(count), [&, kernel, count] {
          auto data = std::make_shared<Array<float>>(count, 0.5F);
          return [&, data, kernel, count] {
            keep(kernels.intensity(data->get(), count, kernel.fma, kernel.group));
          };
        });
  }
  add_idle_point(options, summary);
  return summary;
}

}  // namespace ridgewatt::measure
