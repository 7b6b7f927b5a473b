#include "ridgewatt/monitor/watch/mode_watch.h"

#include <fmt/format.h>

#include <iterator>

#include "ridgewatt/base/error.h"
#include "ridgewatt/device/mode_text.h"

namespace ridgewatt::monitor {
namespace {

constexpr int kOldestLooks = 10;

std::string limits_seen(const platform::SensorSnapshot& snapshot) {
  std::string text = fmt::format("{}", snapshot.cpus_online);
  for (const auto& clock : snapshot.clocks) {
    fmt::format_to(std::back_inserter(text), " {} {} {} {}", clock.name, clock.min_hz, clock.max_hz,
                   clock.governor);
  }
  return text;
}

}  // namespace

ModeWatch::ModeWatch(const platform::Sysfs& sysfs)
    : sysfs_(sysfs), layout_(platform::find_jetson_layout(sysfs)) {
  const auto text = sysfs.text("/etc/nvpmodel.conf");
  if (!text) return;
  try {
    presets_ = platform::parse_nvpmodel_conf(*text, "/etc/nvpmodel.conf");
  } catch (const Error&) {  // `mode list` reports what is wrong with the file
  }
}

ModeState ModeWatch::look(const platform::SensorSnapshot& snapshot) {
  std::string seen = limits_seen(snapshot);
  if (seen == seen_ && ++age_ < kOldestLooks) return state_;
  seen_ = std::move(seen);
  age_ = 0;
  state_ = read();
  return state_;
}

ModeState ModeWatch::read() const {
  const bool knobs = !layout_.cpu_policies.empty() || !layout_.gpus.empty();
  if (!knobs) return {};
  try {
    const auto found = platform::read_mode_state(sysfs_, layout_, presets_ ? &*presets_ : nullptr);
    PowerMode mode = found.limits;
    if (found.cpu_fixed && found.gpu_fixed) mode.governor.clear();
    return {.preset = found.preset, .mode = mode, .text = mode_text(mode)};
  } catch (const NotSupportedError&) {
    return {};
  }
}

}  // namespace ridgewatt::monitor
