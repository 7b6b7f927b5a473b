#include "ridgewatt/measure/local_roofs.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>

#include "ridgewatt/base/clock.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/parallel.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/measure/kernels/vector_kernels.h"
#include "ridgewatt/measure/power_watch.h"

namespace ridgewatt::measure {
namespace {

// The machine's power around every point, where it can be read.
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

std::string first_line(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return std::string(trim(line));
}

// "0-3,8": 5.
double count_of_list(const std::string& list) {
  double count = 0;
  for (const auto& part : split(list, ',')) {
    const auto ends = split(part, '-');
    const double first = parse_double(ends.front()).value_or(0);
    count += parse_double(ends.back()).value_or(first) - first + 1;
  }
  return std::max(count, 1.0);
}

std::vector<CacheSize> cache_sizes(const std::string& folder) {
  std::vector<CacheSize> caches;
  for (int index = 0; index < 8; ++index) {
    const std::filesystem::path at = folder + "/index" + std::to_string(index);
    const std::string size = first_line(at / "size");  // "48K"
    if (size.size() < 2 || first_line(at / "type") == "Instruction") continue;
    const double number = parse_double(size.substr(0, size.size() - 1)).value_or(0);
    const double unit = size.back() == 'K' ? 1024 : size.back() == 'M' ? 1024.0 * 1024 : 0;
    if (!(number * unit > 0)) continue;
    caches.push_back({"L" + first_line(at / "level"), number * unit,
                      number * unit / count_of_list(first_line(at / "shared_cpu_list"))});
  }
  return caches;
}

// Of one thread while the others do the same, in bytes per second: triads over `doubles` elements
// of each of three arrays; 0 without the memory for it.
double triad_rate(std::size_t doubles, double seconds) {
  constexpr double kLookS = 20e-6;  // chosen: a hundred times what looking at the clock costs
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
  constexpr std::size_t kStep = 64;  // doubles: whole vectors and lines
  const int threads = options.threads > 0 ? options.threads : available_threads();
  std::vector<CacheBandwidth> levels;
  for (const auto& cache : cache_sizes(sysfs + "/sys/devices/system/cpu/cpu0/cache")) {
    const auto doubles = std::max<std::size_t>(
        static_cast<std::size_t>(cache.per_thread_bytes / 2 / 3 / sizeof(double)) / kStep * kStep,
        kStep);
    std::vector<double> rates(static_cast<std::size_t>(threads));
    std::vector<std::thread> pool;
    for (double& rate : rates) {
      pool.emplace_back(
          [&rate, doubles, &options] { rate = triad_rate(doubles, options.seconds_per_point); });
    }
    for (auto& thread : pool) thread.join();
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
  const MicrobenchOptions options = metered(asked, power);
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
