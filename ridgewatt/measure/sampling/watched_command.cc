#include "ridgewatt/measure/watched_command.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "ridgewatt/base/clock.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/measure/energy.h"
#include "ridgewatt/measure/sampler.h"
#include "ridgewatt/measure/sampling/marked_command.h"

namespace ridgewatt::measure {
namespace {

// Samples the total power of the board and integrates it.
class TotalPower {
 public:
  TotalPower(const platform::Sysfs& sysfs, double rate_hz)
      : meter_(sysfs),
        source_(source_of(meter_)),
        sampler_(source_, {.rate_hz = std::max(1.0, meter_.usable_rate_hz(rate_hz))}),
        energy_(monotonic_s()) {}

  void take() {
    samples_.clear();
    sampler_.drain(samples_);
    for (const auto& sample : samples_) {
      const auto total_w = platform::total_power_w(
          source_.channels(), [&](std::size_t channel) { return sample.power_w[channel]; });
      if (total_w) energy_.add(sample.time_s, *total_w);
    }
  }
  void stop() {
    sampler_.stop();
    take();
  }
  double until_j(double time_s) const { return energy_.until(time_s).energy_j; }

 private:
  static platform::PowerSource& source_of(platform::PowerMeter& meter) {
    if (meter.source() == nullptr) {
      throw NotSupportedError("the power of this machine cannot be measured", meter.description(),
                              "check with `ridgewatt sensors` that the board measures power");
    }
    return *meter.source();
  }

  platform::PowerMeter meter_;
  platform::PowerSource& source_;
  Sampler sampler_;
  EnergyIntegral energy_;
  std::vector<PowerSample> samples_;
};

}  // namespace

WatchedRun watch_command(const platform::Sysfs& sysfs, const std::vector<std::string>& command,
                         double rate_hz, const std::function<bool(const WatchedMoment&)>& watch) {
  if (command.empty()) throw UsageError("there is no program to run");
  TotalPower power(sysfs, rate_hz);
  double begin_s = 0;
  const CommandRun run = run_marked_command(command, [&](const std::vector<TimedMark>& marks) {
    power.take();
    const double now_s = monotonic_s();
    if (begin_s == 0) begin_s = now_s;
    return watch({begin_s, now_s, marks, power.until_j(now_s)});
  });
  power.stop();
  WatchedRun result;
  result.status = run.status;
  result.ended = run.ended;
  result.begin_s = run.begin_s;
  result.end_s = run.end_s;
  result.energy_j = power.until_j(run.end_s);
  result.minibatches = static_cast<std::size_t>(std::count_if(
      run.marks.begin(), run.marks.end(),
      [](const TimedMark& mark) { return mark.kind == TimedMark::Kind::kMinibatch; }));
  result.malformed_marks = run.malformed_marks;
  return result;
}

WatchedRun watch_program(TunedProgram& program,
                         const std::function<bool(const WatchedMoment&)>& watch) {
  static constexpr double kWaitS = 0.05;
  WatchedRun result;
  result.begin_s = program.now_s();
  EnergyIntegral energy(result.begin_s);
  std::vector<TimedMark> marks;
  std::vector<TimedPower> power;
  bool runs = true;
  double sampled_s = 0;
  while (runs && !result.ended) {
    power.clear();
    runs = program.wait(kWaitS, marks, power);
    for (const auto& sample : power) {
      if (sample.time_s <= sampled_s) continue;
      sampled_s = sample.time_s;
      energy.add(sample.time_s, sample.power_w);
    }
    result.end_s = program.now_s();
    const double energy_j = energy.empty() ? 0 : energy.until(result.end_s).energy_j;
    result.ended = !watch({result.begin_s, result.end_s, marks, energy_j});
  }
  result.energy_j = energy.empty() ? 0 : energy.until(result.end_s).energy_j;
  result.minibatches =
      static_cast<std::size_t>(std::count_if(marks.begin(), marks.end(), [](const TimedMark& mark) {
        return mark.kind == TimedMark::Kind::kMinibatch;
      }));
  result.malformed_marks = program.malformed_marks();
  return result;
}

double mean_power_w(const platform::Sysfs& sysfs, double rate_hz, double duration_s) {
  TotalPower power(sysfs, rate_hz);
  const double begin_s = monotonic_s();
  const double first_j = power.until_j(begin_s);
  while (monotonic_s() < begin_s + duration_s) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    power.take();
  }
  power.stop();
  const double end_s = monotonic_s();
  return (power.until_j(end_s) - first_j) / (end_s - begin_s);
}

}  // namespace ridgewatt::measure
