#include "ridgewatt/measure/local_roofs.h"

#include <algorithm>
#include <memory>
#include <thread>

#include "ridgewatt/base/clock.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/parallel.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/base/thread.h"
#include "ridgewatt/measure/kernels/vector_kernels.h"
#include "ridgewatt/measure/sampling/power_watch.h"

namespace ridgewatt::measure {
namespace {

// Adds callbacks that measure the power of each point if the machine has a power sensor.
MicrobenchOptions metered(const MicrobenchOptions& asked, std::optional<PowerWatch>& power) {
  MicrobenchOptions options = asked;
  options.power_start = [&asked, &power] {
    if (asked.power_start) asked.power_start();
    if (power) power->start();
  };
  options.power_stop = [&power]() -> std::optional<double> {
    return power ? power->stop() : std::nullopt;
  };
  return options;
}

struct CacheSize {
  std::string name;
  double size_bytes = 0;
  double per_thread_bytes = 0;
};

std::vector<CacheSize> cache_sizes(const platform::Sysfs& sysfs) {
  std::vector<CacheSize> caches;
  for (int index = 0; index < 8; ++index) {
    const std::string folder =
        "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
    const auto text = [&](const char* name) { return sysfs.text(folder + name).value_or(""); };
    const std::string size = text("size");  // such as "48K"
    if (size.size() < 2 || text("type") == "Instruction") continue;
    const double number = parse_double(size.substr(0, size.size() - 1)).value_or(0);
    const double unit = size.back() == 'K' ? 1024 : size.back() == 'M' ? 1024.0 * 1024 : 0;
    if (!(number * unit > 0)) continue;
    const auto sharing = platform::cpu_list(text("shared_cpu_list")).size();
    caches.push_back({"L" + text("level"), number * unit,
                      number * unit / static_cast<double>(std::max<std::size_t>(sharing, 1))});
  }
  return caches;
}

// Triad bandwidth of one thread in bytes per second while the other threads run the same loop. Each
// of the three arrays has `doubles` elements. Returns 0 if there is not enough memory.
double triad_rate(std::size_t doubles, double seconds) {
  constexpr double kLookS = 20e-6;  // chosen: a hundred times the cost of reading the clock
  constexpr std::size_t kLine = 64;
  const auto array = [&](double value) {
    auto* data = static_cast<double*>(std::aligned_alloc(kLine, doubles * sizeof(double)));
    if (data != nullptr) std::fill_n(data, doubles, value);
    return std::unique_ptr<double, decltype(&std::free)>(data, &std::free);
  };
  const auto a = array(1), b = array(2), c = array(0.5);
  if (!a || !b || !c) return 0;
  const VectorKernels& kernels = vector_kernels();
  const Stopwatch whole;
  double bytes = 0;
  std::size_t passes = 1;
  while (whole.s() < seconds) {
    const Stopwatch timed;
    for (std::size_t i = 0; i < passes; ++i) {
      kernels.triad(a.get(), b.get(), c.get(), 3.0, doubles);
    }
    bytes += 24.0 * static_cast<double>(doubles * passes);
    if (timed.s() < kLookS) passes *= 2;
  }
  return bytes / whole.s();
}

}  // namespace

std::vector<CacheBandwidth> measure_caches(const MicrobenchOptions& options,
                                           const std::string& sysfs) {
  constexpr std::size_t kStep = 64;  // doubles: a multiple of vectors and cache lines
  const int threads = options.threads > 0 ? options.threads : available_threads();
  std::vector<CacheBandwidth> levels;
  for (const auto& cache : cache_sizes(platform::Sysfs(sysfs))) {
    const auto doubles = std::max<std::size_t>(
        static_cast<std::size_t>(cache.per_thread_bytes / 2 / 3 / sizeof(double)) / kStep * kStep,
        kStep);
    std::vector<double> rates(static_cast<std::size_t>(threads));
    ThreadGroup pool;
    for (double& rate : rates) {
      pool.add(
          [&rate, doubles, &options] { rate = triad_rate(doubles, options.seconds_per_point); });
    }
    pool.join();
    double total = 0;
    for (const double rate : rates) total += rate;
    if (total > 0) levels.push_back({cache.name, cache.size_bytes, total});
  }
  return levels;
}

std::vector<roofline::MicrobenchPoint> microbench_points(const MicrobenchSummary& summary) {
  std::vector<roofline::MicrobenchPoint> points;
  for (const auto& result : summary.points) {
    roofline::MicrobenchPoint& point = points.emplace_back();
    point.kernel = result.kernel;
    point.work_flop = result.work_flop;
    point.traffic_bytes = result.traffic_bytes;
    point.time_s = result.time_s;
    point.power_w = result.power_w;
  }
  return points;
}

LocalRoofs measure_local_roofs(std::optional<RoofTarget> target, int gpu,
                               const MicrobenchOptions& asked) {
  LocalRoofs roofs;
  std::optional<PowerWatch> power;
  try {
    power.emplace(platform::open_power_source(platform::Sysfs("")));
  } catch (const Error& error) {
    roofs.powerless = error.what();
  }
  MicrobenchOptions options = metered(asked, power);
  options.until_steady = !power;
  roofs.target = target.value_or(RoofTarget::kGpu);
  if (roofs.target == RoofTarget::kGpu) {
    try {
      roofs.summary = run_cuda_microbench(gpu, options);
    } catch (const NotSupportedError& error) {
      if (target) throw;
      roofs.not_gpu = error.what();
      roofs.target = RoofTarget::kCpu;
    }
  }
  if (roofs.target == RoofTarget::kCpu) roofs.summary = run_cpu_microbench(options);
  roofs.fit = roofline::fit_microbench(microbench_points(roofs.summary));
  return roofs;
}

}  // namespace ridgewatt::measure
