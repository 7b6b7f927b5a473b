#include "ridgewatt/platform/clock_times.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "ridgewatt/base/text.h"
#include "ridgewatt/io/path.h"
#include "ridgewatt/platform/jetson/online_cpus.h"

namespace ridgewatt::platform {
namespace {

constexpr double kClockTickS = 0.01;  // USER_HZ is 100 on all current platforms
constexpr std::size_t kMostClocks = 1024;

std::optional<double> counted(std::string_view text) {
  const auto number = parse_double(text);
  return number && std::isfinite(*number) && *number >= 0 ? number : std::nullopt;
}

// Returns false for an invalid clock or time, a duplicate clock, or too many clocks.
bool add(SecondsByClock& seconds, std::optional<double> clock_hz, std::optional<double> time_s) {
  if (!clock_hz || !time_s || seconds.size() >= kMostClocks) return false;
  return seconds.emplace(*clock_hz, *time_s).second;
}

}  // namespace

std::optional<SecondsByClock> parse_time_in_state(std::string_view text) {
  SecondsByClock seconds;
  for (const auto& line : split(text, '\n')) {
    const auto words = words_of(line);
    if (words.empty()) continue;
    if (words.size() != 2) return std::nullopt;
    auto clock = counted(words[0]), time = counted(words[1]);
    if (clock) *clock *= 1e3;
    if (time) *time *= kClockTickS;
    if (!add(seconds, clock, time)) return std::nullopt;
  }
  return seconds.empty() ? std::nullopt : std::optional(std::move(seconds));
}

// Does not use the clocks of the heading: from 1 GHz on, its ten-character columns touch.
std::optional<SecondsByClock> parse_trans_stat(std::string_view text) {
  static constexpr std::string_view kTime = "time(ms)", kEnd = "Total transition";
  SecondsByClock seconds;
  std::size_t columns = 0;  // of each row: one count per clock, and the time
  bool headed = false;
  for (const auto& line : split(text, '\n')) {
    const auto colon = line.find(':');
    if (colon == std::string::npos) continue;
    std::string_view name = trim(std::string_view(line).substr(0, colon));
    const bool whole = headed && !seconds.empty() && columns == seconds.size() + 1;
    if (name == kEnd) return whole ? std::optional(std::move(seconds)) : std::nullopt;
    const auto values = words_of(line.substr(colon + 1));
    if (name.empty()) {
      if (headed || values.empty() || values.back() != kTime) return std::nullopt;
      headed = true;
    } else if (headed) {
      if (name.front() == '*') name = trim(name.substr(1));
      if (columns == 0) columns = values.size();
      if (values.size() != columns || columns < 2) return std::nullopt;
      auto time = counted(values.back());
      if (time) *time /= 1e3;
      if (!add(seconds, counted(name), time)) return std::nullopt;
    }
  }
  return std::nullopt;
}

std::vector<ClockTimes> read_clock_times(const Sysfs& sysfs, const JetsonLayout& layout) {
  std::vector<ClockTimes> times;
  const auto keep = [&](const std::string& name, const char* source, auto seconds) {
    if (seconds) times.push_back({name, source, std::move(*seconds)});
  };
  for (const auto& policy : layout.cpu_policies) {
    if (!any_online(sysfs, policy)) continue;  // its counter keeps the last clock
    const auto text = sysfs.text(policy.path + "/stats/time_in_state");
    keep(fmt::format("cpu{}", policy.cpus.empty() ? 0 : policy.cpus.front()), "time_in_state",
         parse_time_in_state(text.value_or("")));
  }
  const auto devfreq = [&](const std::string& folder, const std::string& name) {
    const auto text = sysfs.text(folder + "/trans_stat");
    keep(name, "trans_stat", parse_trans_stat(text.value_or("")));
  };
  for (const auto& gpu : layout.gpus) {
    devfreq(gpu.path, layout.gpus.size() == 1 ? "gpu" : gpu.name);
  }
  for (const auto& device : layout.other_devfreq) devfreq(device.path, device.name);
  if (layout.emc.kind == EmcLayout::Kind::kDevfreq) {
    devfreq(folder_of(layout.emc.current), "emc");
  }
  return times;
}

}  // namespace ridgewatt::platform
