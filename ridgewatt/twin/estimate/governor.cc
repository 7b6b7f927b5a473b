#include "ridgewatt/twin/estimate/governor.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "ridgewatt/base/error.h"

namespace ridgewatt::twin {
namespace {

constexpr double kPeltHalfLifeS = 32e-3;
constexpr double kSchedutilMargin = 1.25;
constexpr double kOndemandUpThreshold = 0.95;  // if idle times are measured in microseconds
constexpr double kPodgovTarget = 0.7;
constexpr double kPodgovBias = 0.8;
constexpr double kMemoryPerGpuClock = 4 * 0.75;
constexpr int kMostRounds = 16;

using Levels = std::vector<double>;

// The levels of a clock from the lowest that a governor may set up to the value in the mode. At
// least one level, unless the board does not have the knob.
Levels allowed_levels(const Twin& twin, const PowerMode& mode, Knob knob) {
  Levels levels = twin.levels[knob];
  if (mode.has(knob)) {
    std::erase_if(levels, [&](double level) { return level > mode.get(knob); });
    if (levels.empty() || levels.back() < mode.get(knob)) levels.push_back(mode.get(knob));
  }
  if (levels.empty()) return levels;
  const double least = std::min(twin.governor_least[knob], levels.back());
  std::erase_if(levels, [&](double level) { return level < least; });
  return levels;
}

// The lowest level at which the governor requests no higher one.
template <typename Wanted>
double settled(const Levels& levels, Wanted wanted) {
  const auto enough = [&](double level) { return wanted(level) <= level; };
  const auto found = std::find_if(levels.begin(), levels.end() - 1, enough);
  return *found;
}

struct Domains {
  Levels cpu, gpu, mem;
  // Of the whole tables, whatever the governor may set.
  double cpu_lowest_hz = 0, cpu_highest_hz = 0, gpu_lowest_hz = 0;
};

double settled_cpu(const Domains& domains, const PowerMode& now,
                   const std::function<DomainLoad(const PowerMode&)>& load) {
  const bool schedutil = now.governor == "schedutil";
  const double lowest = domains.cpu_lowest_hz;
  const double highest = domains.cpu_highest_hz;
  return settled(domains.cpu, [&](double clock_hz) {
    PowerMode at = now;
    at.cpu_clock_hz = clock_hz;
    const DomainLoad busy = load(at);
    if (schedutil) return kSchedutilMargin * pelt_load(busy.cpu_run_s, busy.cpu_cycle_s) * clock_hz;
    const double share = std::min(1.0, busy.cpu_run_s / busy.cpu_cycle_s);
    return share > kOndemandUpThreshold ? highest : lowest + share * (highest - lowest);
  });
}

// GPU and CPU each request a memory clock, and the higher request is set. The CPU requests a clock
// in proportion to its own, which is close to the logs of busy boards.
double memory_floor(const Domains& domains, const PowerMode& at) {
  double wanted_hz = 0;
  if (!domains.gpu.empty() && at.gpu_clock_hz > domains.gpu_lowest_hz) {
    wanted_hz = kMemoryPerGpuClock * at.gpu_clock_hz;
  }
  if (!domains.cpu.empty()) {
    const double share = at.cpu_clock_hz / domains.cpu_highest_hz;
    wanted_hz = std::max(wanted_hz, share * domains.mem.back());
  }
  return settled(domains.mem, [&](double) { return wanted_hz; });
}

double settled_gpu(const Domains& domains, const PowerMode& now,
                   const std::function<DomainLoad(const PowerMode&)>& load) {
  return settled(domains.gpu, [&](double clock_hz) {
    PowerMode at = now;
    at.gpu_clock_hz = clock_hz;
    if (!domains.mem.empty()) at.mem_clock_hz = memory_floor(domains, at);
    return clock_hz * (1 + kPodgovBias * (load(at).gpu - kPodgovTarget) / kPodgovTarget);
  });
}

}  // namespace

double pelt_load(double run_s, double cycle_s) {
  if (!(run_s < cycle_s)) return 1;
  return std::expm1(-run_s * std::log(2) / kPeltHalfLifeS) /
         std::expm1(-cycle_s * std::log(2) / kPeltHalfLifeS);
}

PowerMode settled_clocks(const Twin& twin, const PowerMode& mode,
                         const std::function<DomainLoad(const PowerMode&)>& load) {
  const std::string& name = mode.governor;
  if (name.empty() || name == "userspace") return mode;
  const auto lowest = [&](Knob knob) {
    return twin.levels[knob].empty() ? 0 : twin.levels[knob].front();
  };
  const Domains domains = {allowed_levels(twin, mode, Knob::kCpuClock),
                           allowed_levels(twin, mode, Knob::kGpuClock),
                           allowed_levels(twin, mode, Knob::kMemClock),
                           lowest(Knob::kCpuClock),
                           twin.cpu_clock_hz,
                           lowest(Knob::kGpuClock)};
  PowerMode now = mode;
  if (!mode.has(Knob::kCpuCores)) now.cpu_cores = twin.cpu_cores;
  const auto set = [&](Knob knob, const Levels& levels, bool high) {
    if (!levels.empty()) now.set(knob, high ? levels.back() : levels.front());
  };
  set(Knob::kCpuClock, domains.cpu, name != "powersave");
  set(Knob::kGpuClock, domains.gpu, name != "powersave");
  set(Knob::kMemClock, domains.mem, name != "powersave");
  if (name == "performance" || name == "powersave") return now;
  if (name != "schedutil" && name != "ondemand") {
    throw NotSupportedError("the twin does not model this governor", name,
                            "choose schedutil, ondemand, performance, powersave or userspace");
  }
  // Starts from the highest clocks. If the domains do not settle together, the last round counts.
  for (int round = 0; round < kMostRounds; ++round) {
    const PowerMode before = now;
    if (!domains.cpu.empty()) now.cpu_clock_hz = settled_cpu(domains, now, load);
    if (!domains.gpu.empty()) now.gpu_clock_hz = settled_gpu(domains, now, load);
    if (!domains.mem.empty()) now.mem_clock_hz = memory_floor(domains, now);
    if (now == before) break;
  }
  return now;
}

}  // namespace ridgewatt::twin
