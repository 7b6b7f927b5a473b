// The overhead of sampling power: the share of one core that the sampler's thread uses on a fake
// board, with all cores busy, as in a real measurement, and on an idle machine. For comparison, a
// thread that only wakes up at the same rate, which takes longer than reading on a virtual machine.
#include <benchmark/benchmark.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "ridgewatt/measure/sampler.h"
#include "ridgewatt/platform/fake_board.h"
#include "ridgewatt/platform/fake_sysfs.h"
#include "ridgewatt/platform/power_source.h"
#include "ridgewatt/platform/sysfs.h"

namespace {

// Keeps all cores busy.
class Load {
 public:
  explicit Load(bool wanted) {
    for (unsigned i = 0; wanted && i < std::thread::hardware_concurrency(); ++i) {
      threads_.emplace_back([this] {
        while (!stop_.load(std::memory_order_relaxed)) {
        }
      });
    }
  }
  ~Load() {
    stop_.store(true);
    for (auto& thread : threads_) thread.join();
  }

 private:
  std::atomic<bool> stop_{false};
  std::vector<std::thread> threads_;
};

void Sampler(benchmark::State& state) {
  const auto root =
      std::filesystem::temp_directory_path() / ("sampler_bench." + std::to_string(getpid()));
  ridgewatt::platform::create_fake_board(ridgewatt::platform::fake_board_spec("agx-orin-jp6"),
                                         root.string(), 1);
  const auto source =
      ridgewatt::platform::open_power_source(*ridgewatt::platform::open_sysfs(root.string()));
  ridgewatt::measure::Sampler::Options options;
  options.rate_hz = static_cast<double>(state.range(0));
  const Load load(state.range(1) != 0);
  double cpu_s = 0;
  for (auto _ : state) {
    ridgewatt::measure::Sampler sampler(*source, options);
    std::this_thread::sleep_for(std::chrono::seconds(2));
    sampler.stop();
    cpu_s += sampler.cpu_seconds();
  }
  state.counters["core_percent"] = 100 * cpu_s / (2.0 * static_cast<double>(state.iterations()));
  std::filesystem::remove_all(root);
}
BENCHMARK(Sampler)
    ->ArgNames({"hz", "busy"})
    ->ArgsProduct({{100, 1000}, {1, 0}})
    ->Iterations(3)
    ->UseRealTime();

void WakingOnly(benchmark::State& state) {
  const auto cpu_now_s = [] {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  };
  const auto interval = std::chrono::nanoseconds(1'000'000'000 / state.range(0));
  const Load load(state.range(1) != 0);
  double cpu_s = 0;
  for (auto _ : state) {
    const double begin_s = cpu_now_s();
    auto next = std::chrono::steady_clock::now();
    for (std::int64_t i = 0; i < 2 * state.range(0); ++i) {
      std::this_thread::sleep_until(next += interval);
    }
    cpu_s += cpu_now_s() - begin_s;
  }
  state.counters["core_percent"] = 100 * cpu_s / (2.0 * static_cast<double>(state.iterations()));
}
BENCHMARK(WakingOnly)
    ->ArgNames({"hz", "busy"})
    ->ArgsProduct({{100, 1000}, {1, 0}})
    ->Iterations(3)
    ->UseRealTime();

}  // namespace
