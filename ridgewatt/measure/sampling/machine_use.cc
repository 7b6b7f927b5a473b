#include "ridgewatt/measure/machine_use.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <utility>

#include "ridgewatt/base/text.h"

namespace ridgewatt::measure {
namespace {

constexpr double kSectorBytes = 512;  // sector size in /proc/diskstats, for every disk

ClockResidency residency_of(std::string clock, std::string source,
                            const std::map<double, double>& seconds) {
  ClockResidency residency{std::move(clock), std::move(source), 0, {}};
  for (const auto& [hz, time_s] : seconds) residency.time_s += time_s;
  for (const auto& [hz, time_s] : seconds) {
    if (time_s > 0) residency.shares.emplace_back(hz, time_s / residency.time_s);
  }
  return residency;
}

std::map<double, double> in_steps(const std::map<double, double>& seconds) {
  if (seconds.size() <= kMostSampledClocks) return seconds;
  std::map<double, double> steps;
  for (const auto& [hz, time_s] : seconds) {
    steps[std::round(hz / kSampledStepHz) * kSampledStepHz] += time_s;
  }
  return steps;
}

// True for a whole disk. Partitions of nvme0n1 and mmcblk0 have a "p" and a number, those of sda
// only a number.
bool is_disk(const std::string& name) {
  const bool digit = !name.empty() && name.back() >= '0' && name.back() <= '9';
  for (const char* kind : {"nvme", "mmcblk"}) {
    if (name.starts_with(kind)) {
      return name.find('p', std::string_view(kind).size()) == std::string::npos &&
             name.find("boot") == std::string::npos;
    }
  }
  for (const char* kind : {"sd", "vd", "hd", "xvd"}) {
    if (name.starts_with(kind)) return !digit;
  }
  return false;
}

}  // namespace

std::vector<ClockResidency> counted_residency(const std::vector<platform::ClockTimes>& before,
                                              const std::vector<platform::ClockTimes>& after) {
  std::vector<ClockResidency> residencies;
  for (const auto& now : after) {
    const auto then = std::find_if(before.begin(), before.end(),
                                   [&](const auto& clock) { return clock.name == now.name; });
    if (then == before.end()) continue;
    std::map<double, double> seconds;
    bool back = false;
    for (const auto& [hz, time_s] : now.seconds) {
      const auto old = then->seconds.find(hz);
      seconds[hz] = time_s - (old == then->seconds.end() ? 0 : old->second);
      back = back || seconds[hz] < 0;
    }
    auto residency = residency_of(now.name, now.source, seconds);
    if (!back && residency.time_s > 0) residencies.push_back(std::move(residency));
  }
  return residencies;
}

std::vector<ClockResidency> sampled_residency(const std::vector<store::RawSample>& samples,
                                              double begin_s, double end_s) {
  static constexpr std::string_view kClock = "clock:";
  struct Look {
    double time_s, hz;
  };
  std::vector<std::string> names;
  std::map<std::string, std::vector<Look>> looks;
  for (const auto& sample : samples) {
    if (!sample.channel.starts_with(kClock) || sample.time_s > end_s) continue;
    const std::string name = sample.channel.substr(kClock.size());
    if (!looks.contains(name)) names.push_back(name);
    // Measured clocks vary by a few kHz, so round them.
    looks[name].push_back({sample.time_s, std::round(sample.value / 1e5) * 1e5});
  }
  std::vector<ClockResidency> residencies;
  for (const auto& name : names) {
    std::map<double, double> seconds;
    const auto& series = looks[name];
    for (std::size_t i = 0; i < series.size(); ++i) {
      const double from_s = std::max(begin_s, series[i].time_s);
      const double to_s = i + 1 < series.size() ? series[i + 1].time_s : end_s;
      if (to_s > from_s) seconds[series[i].hz] += to_s - from_s;
    }
    auto residency = residency_of(name, "sampled", in_steps(seconds));
    const bool off = seconds.size() == 1 && seconds.contains(0);
    if (residency.time_s > 0 && !off) residencies.push_back(std::move(residency));
  }
  return residencies;
}

std::vector<ClockResidency> merge_residency(std::vector<ClockResidency> counted,
                                            const std::vector<ClockResidency>& sampled) {
  for (const auto& residency : sampled) {
    if (std::none_of(counted.begin(), counted.end(),
                     [&](const auto& other) { return other.clock == residency.clock; })) {
      counted.push_back(residency);
    }
  }
  return counted;
}

// Parses lines "8 0 sda READS MERGED SECTORS MS WRITES MERGED SECTORS MS ..".
std::optional<DiskIo> read_disk_io(const platform::Sysfs& sysfs) {
  static constexpr std::size_t kName = 2, kReads = 3, kReadSectors = 5, kWrites = 7,
                               kWrittenSectors = 9;
  DiskIo io;
  bool any = false;
  std::istringstream lines(sysfs.text("/proc/diskstats").value_or(""));
  std::string line;
  while (std::getline(lines, line)) {
    const auto words = words_of(line);
    if (words.size() <= kWrittenSectors || !is_disk(words[kName])) continue;
    const auto number = [&](std::size_t i) {
      const double value = parse_double(words[i]).value_or(0);
      return std::isfinite(value) && value >= 0 ? value : 0;
    };
    io.reads += number(kReads);
    io.read_bytes += number(kReadSectors) * kSectorBytes;
    io.writes += number(kWrites);
    io.written_bytes += number(kWrittenSectors) * kSectorBytes;
    any = true;
  }
  return any ? std::optional(io) : std::nullopt;
}

}  // namespace ridgewatt::measure
