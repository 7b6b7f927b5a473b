#include "ridgewatt/measure/profile.h"

#include <algorithm>

#include "ridgewatt/base/progress.h"
#include "ridgewatt/platform/jetson_identity.h"

namespace ridgewatt::measure {

std::vector<PowerMode> profiling_order(std::vector<PowerMode> modes) {
  std::sort(modes.begin(), modes.end(), [](const PowerMode& a, const PowerMode& b) {
    for (const Knob knob : {Knob::kMemClock, Knob::kGpuClock, Knob::kCpuClock, Knob::kCpuCores}) {
      if (a.get(knob) != b.get(knob)) return a.get(knob) > b.get(knob);
    }
    return a.governor < b.governor;
  });
  modes.erase(std::unique(modes.begin(), modes.end()), modes.end());
  return modes;
}

void name_series(const platform::LocalDevice& device, ProfileOptions& options) {
  const auto jetson = platform::identify_jetson(*device.sysfs);
  auto& series = options.series;
  series.board = device.name != "local" ? device.name : jetson ? jetson->board : "local";
  series.provenance = device.provenance();
  if (series.serial.empty()) series.serial = platform::board_serial(*device.sysfs);
  if (series.workload.empty()) series.workload = workload_name(options.measure.command);
}

ProfileSummary profile(platform::Sysfs& sysfs, platform::JetsonModeControl& control,
                       store::Store& store, const std::vector<PowerMode>& modes,
                       const ProfileOptions& options) {
  require_same_command(sysfs, store, options.series, options.measure.command, {options.batch});
  LiveProfiler profiler(sysfs, control, store, options);
  ProfileSummary summary;
  const auto order = profiling_order(modes);
  const auto known = store.find_series(options.series);
  const auto skips = [&](const OperatingPoint& point) {
    const bool again = options.again == Again::kEvery ||
                       (options.again == Again::kFlagged && profiler.flagged(point));
    return profiler.waiting(point) && !again;
  };
  const auto missing = std::count_if(order.begin(), order.end(), [&](const PowerMode& mode) {
    return !skips({mode, options.batch});
  });
  const auto points = known ? store.points(*known) : std::vector<store::PointRecord>();
  const auto stored = std::ranges::count(points, false, &store::PointRecord::superseded);
  store.plan(options.series, stored + missing);
  Progress progress("profile", order.size(), options.quiet);
  for (std::size_t i = 0; i < order.size(); ++i) {
    progress.update(i, describe(order[i]));
    const OperatingPoint point{order[i], options.batch};
    if (skips(point)) {
      ++summary.skipped;
      continue;
    }
    try {
      const int measured = profiler.measured();
      profiler.profile_again(point);
      if (profiler.measured() == measured) ++summary.skipped;  // another process stored it first
    } catch (const PointFailedError&) {
      ++summary.failed;
    }
  }
  progress.update(order.size());
  control.restore();
  summary.measured = profiler.measured();
  summary.failures = profiler.failures();
  summary.malformed_marks = profiler.malformed_marks();
  return summary;
}

}  // namespace ridgewatt::measure
