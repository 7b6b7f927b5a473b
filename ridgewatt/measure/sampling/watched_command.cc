#include "ridgewatt/measure/watched_command.h"

#include <algorithm>

#include "ridgewatt/base/clock.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/measure/energy.h"
#include "ridgewatt/measure/sampler.h"
#include "ridgewatt/measure/sampling/marked_command.h"

namespace ridgewatt::measure {

WatchedRun watch_command(const platform::Sysfs& sysfs, const std::vector<std::string>& command,
                         double rate_hz, const std::function<bool(const WatchedMoment&)>& watch) {
  if (command.empty()) throw UsageError("there is no program to run");
  platform::PowerMeter meter(sysfs);
  platform::PowerSource* source = meter.source();
  if (source == nullptr) throw NotSupportedError("the power is not known", meter.description());
  Sampler sampler(*source, {.rate_hz = std::max(1.0, meter.usable_rate_hz(rate_hz))});
  EnergyIntegral energy(monotonic_s());
  std::vector<PowerSample> samples;
  const auto take = [&] {
    samples.clear();
    sampler.drain(samples);
    for (const auto& sample : samples) {
      const auto total_w = platform::total_power_w(
          source->channels(), [&](std::size_t channel) { return sample.power_w[channel]; });
      if (total_w) energy.add(sample.time_s, *total_w);
    }
  };
  double begin_s = 0;
  const CommandRun run = run_marked_command(command, [&](const std::vector<TimedMark>& marks) {
    take();
    const double now_s = monotonic_s();
    if (begin_s == 0) begin_s = now_s;
    return watch({begin_s, now_s, marks, energy.until(now_s).energy_j});
  });
  sampler.stop();
  take();
  WatchedRun result;
  result.status = run.status;
  result.ended = run.ended;
  result.begin_s = run.begin_s;
  result.end_s = run.end_s;
  result.energy_j = energy.until(run.end_s).energy_j;
  result.minibatches = static_cast<std::size_t>(std::count_if(
      run.marks.begin(), run.marks.end(),
      [](const TimedMark& mark) { return mark.kind == TimedMark::Kind::kMinibatch; }));
  result.malformed_marks = run.malformed_marks;
  return result;
}

}  // namespace ridgewatt::measure
