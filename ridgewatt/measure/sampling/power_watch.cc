#include "ridgewatt/measure/sampling/power_watch.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "ridgewatt/measure/power_trace.h"

namespace ridgewatt::measure {

PowerWatch::PowerWatch(std::unique_ptr<platform::PowerSource> source)
    : source_(std::move(source)) {}

void PowerWatch::start() {
  Sampler::Options options;
  options.rate_hz = std::min(options.rate_hz, source_->largest_rate_hz());
  options.capacity = 1 << 20;  // nobody drains it during the run
  sampler_ = std::make_unique<Sampler>(*source_, options);
  begin_s_ = monotonic_s();
}

std::optional<double> PowerWatch::stop() {
  const double end_s = monotonic_s();
  std::this_thread::sleep_for(std::chrono::duration<double>(source_->interval_s()));
  sampler_->stop();
  std::vector<PowerSample> samples;
  sampler_->drain(samples);
  sampler_.reset();
  const auto energy = total_of(traces_of(samples, *source_)).energy(begin_s_, end_s);
  if (!energy || energy->samples == 0) return std::nullopt;
  return energy->mean_w;
}

}  // namespace ridgewatt::measure
