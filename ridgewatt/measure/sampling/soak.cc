#include "ridgewatt/measure/soak.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <thread>
#include <utility>

#include "ridgewatt/base/check_option.h"
#include "ridgewatt/base/clock.h"
#include "ridgewatt/base/contains.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/progress.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/measure/energy.h"
#include "ridgewatt/measure/sampler.h"
#include "ridgewatt/measure/sampling/marked_command.h"
#include "ridgewatt/platform/fake_heat.h"
#include "ridgewatt/platform/jetson_sensors.h"
#include "ridgewatt/platform/power_source.h"

namespace ridgewatt::measure {
namespace {

constexpr double kFirstVerdictS = 180;  // duration of load before the first check
constexpr double kCheckGrowth = 1.1;    // factor from one check to the next
constexpr double kSure = 0.99;
constexpr double kSafetyK = 1;  // margin added to the interval for errors of the two-mass model
constexpr double kPaceS = 120;
// Duration after throttling, to measure the sustained speed.
constexpr double kAfterThrottleS = 180;
constexpr std::size_t kInterimRows = 1500;
constexpr const char* kNoTime = "no time left";

// One snapshot with all zones, since the hottest zone is only known at the end.
struct SoakLook {
  double time_s = 0;  // board time
  double power_w = 0, fan = 1;
  std::map<std::string, double> celsius;
  bool fan_known = false, throttled = false;
  double gpu_hz = 0, cpu_hz = 0;
};

// Excludes the zone of a power management chip, which reports a constant, and Tdiode zones.
bool is_of_the_chip(const std::string& zone) {
  return zone.find("PMIC") == std::string::npos && zone.find("Tdiode") == std::string::npos;
}

class Soak {
 public:
  Soak(const platform::Sysfs& sysfs, const SoakOptions& options)
      : sysfs_(sysfs),
        options_(options),
        scale_(platform::heat_time_scale(sysfs)),
        reader_(sysfs),
        source_(platform::open_power_source(sysfs)),
        first_throttling_(platform::read_throttling(sysfs)),
        begin_s_(monotonic_s()) {
    Sampler::Options sampling;
    sampling.rate_hz = std::min(options.rate_hz, source_->largest_rate_hz());
    sampler_ = std::make_unique<Sampler>(*source_, sampling);
    power_ = EnergyIntegral(begin_s_);
    last_look_s_ = begin_s_;
    require_total();
  }

  // Records at rest, before the load starts.
  void rest() {
    const double end_s = begin_s_ + options_.idle_s / scale_;
    do {
      std::this_thread::sleep_for(std::chrono::duration<double>(0.02));
      check_work();
      look_when_due();
    } while (monotonic_s() < end_s || looks_.empty());
    load_begin_s_ = looks_.back().time_s;
    next_check_s_ = kFirstVerdictS;
  }

  // Returns false when the run may end. It is also called while the program ends.
  bool watch() {
    if (ended_as_) return false;
    if (!look_when_due()) return true;
    if (too_hot()) {
      reason_ = fmt::format("a zone went above {:g} C", options_.max_celsius);
      return false;
    }
    const double load_s = looks_.back().time_s - load_begin_s_;
    if (load_s >= options_.at_most_s) {
      reason_ = kNoTime;
      return false;
    }
    if (options_.to_the_end) return true;
    if (throttled_s_) {
      return looks_.back().time_s - *throttled_s_ < kAfterThrottleS;
    }
    if (load_s < next_check_s_) return true;
    next_check_s_ = kCheckGrowth * load_s;
    ended_as_ = known(load_s);
    return !ended_as_;
  }

  SoakSummary summary(const CommandRun& run) {
    sampler_->stop();
    SoakSummary result;
    result.time_scale = scale_;
    result.status = run.status;
    result.ended_early = run.ended && reason_ != kNoTime;
    result.duration_s = looks_.back().time_s - load_begin_s_;
    result.trace = trace();
    result.zone = result.trace.zone;
    result.reason = reason_;
    for (const auto& row : result.trace.rows) {
      result.hottest_celsius = std::max(result.hottest_celsius, row.celsius);
    }
    result.trip_celsius = trip(result.zone);
    result.throttled = throttled_;
    result.over_current_events = over_current();
    if (throttled_s_) result.throttled_after_s = *throttled_s_ - load_begin_s_;
    const auto marks = minibatches_of(run.marks);
    const double end_s = looks_.back().time_s;
    // A program that marks minibatches has started with the first of them.
    const double first_s =
        marks.empty() ? load_begin_s_
                      : std::max(load_begin_s_, (marks.front().begin_s - begin_s_) * scale_);
    result.first = pace(marks, first_s, std::min(first_s + kPaceS, end_s));
    result.last = pace(marks, std::max(load_begin_s_, end_s - kPaceS), end_s);
    fit(result);
    decide(result);
    return result;
  }

 private:
  void require_total() const {
    for (const auto& channel : source_->channels()) {
      if (channel.in_total) return;
    }
    throw NotSupportedError("soak needs a sensor of the machine's total power", "",
                            "`ridgewatt sensors` prints the sensors of this machine");
  }

  bool look_when_due() {
    take_samples();
    const double now_s = monotonic_s();
    if (now_s - last_look_s_ < std::min(options_.look_s, 3 / scale_)) return false;
    if (power_.empty()) return false;  // no sample yet
    const double energy_j = power_.until(now_s).energy_j;
    const platform::SensorSnapshot now = reader_.read();
    SoakLook look;
    look.time_s = (now_s - begin_s_) * scale_;
    look.power_w = (energy_j - energy_j_) / (now_s - last_look_s_);
    for (const auto& zone : now.temperatures) {
      if (zone.celsius && is_of_the_chip(zone.name)) look.celsius[zone.name] = *zone.celsius;
    }
    if (look.celsius.empty()) {
      throw NotSupportedError("soak needs a temperature sensor of the chip", "",
                              "`ridgewatt sensors` prints the sensors of this machine");
    }
    for (const auto& fan : now.fans) {
      if (fan.duty && !look.fan_known) look.fan = *fan.duty, look.fan_known = true;
    }
    for (const auto& clock : now.clocks) {
      if (clock.name.rfind("gpu", 0) == 0 && look.gpu_hz == 0) look.gpu_hz = clock.clock_hz;
      if (clock.name.rfind("cpu", 0) == 0) look.cpu_hz = std::max(look.cpu_hz, clock.clock_hz);
    }
    note_throttling(now.throttling, look);
    looks_.push_back(std::move(look));
    last_look_s_ = now_s;
    energy_j_ = energy_j;
    return true;
  }

  void note_throttling(const std::vector<platform::ThrottleSignal>& now, SoakLook& look) {
    for (const auto& name : platform::throttled(first_throttling_, now)) {
      if (!contains(throttled_, name)) {
        throttled_.push_back(name);
      }
    }
    // Throttling by heat or current now, except signals that were active at the start.
    for (const auto& signal : now) {
      const auto was = [&](const auto& before) {
        return before.name == signal.name && before.value >= signal.value;
      };
      const bool rose = std::none_of(first_throttling_.begin(), first_throttling_.end(), was);
      const auto counted = last_throttling_.find(signal.name);
      const bool again = counted != last_throttling_.end() && signal.value > counted->second;
      if (rose && (signal.active() || (signal.counter && again))) look.throttled = true;
      last_throttling_[signal.name] = signal.value;
    }
    if (look.throttled && !throttled_s_) throttled_s_ = look.time_s;
  }

  std::int64_t over_current() const {
    std::int64_t events = 0;
    for (const auto& before : first_throttling_) {
      const auto now = last_throttling_.find(before.name);
      if (before.counter && now != last_throttling_.end()) events += now->second - before.value;
    }
    return events;
  }

  void take_samples() {
    sampler_->drain(samples_);
    for (const auto& sample : samples_) {
      const auto at = [&](std::size_t c) { return sample.power_w[c]; };
      const auto total = platform::total_power_w(source_->channels(), at);
      if (total) power_.add(sample.time_s, *total);
    }
    samples_.clear();
  }

  bool too_hot() const {
    const auto& zones = looks_.back().celsius;
    return std::any_of(zones.begin(), zones.end(),
                       [&](const auto& zone) { return zone.second > options_.max_celsius; });
  }

  thermal::HeatTrace trace() const {
    std::map<std::string, std::pair<double, std::size_t>> sums;
    for (const auto& look : looks_) {
      for (const auto& [zone, celsius] : look.celsius) {
        sums[zone].first += celsius;
        ++sums[zone].second;
      }
    }
    thermal::HeatTrace trace;
    double hottest = -1e300;
    for (const auto& [zone, sum] : sums) {
      const double mean = sum.first / static_cast<double>(sum.second);
      // Skip a zone that is only available at times.
      if (sum.second * 10 < looks_.size() * 9 || mean <= hottest) continue;
      hottest = mean;
      trace.zone = zone;
    }
    trace.fan_known = looks_.front().fan_known;
    for (const auto& look : looks_) {
      const auto celsius = look.celsius.find(trace.zone);
      if (celsius == look.celsius.end()) continue;
      trace.rows.push_back(
          {look.time_s, look.power_w, celsius->second, look.fan, look.throttled, look.gpu_hz});
    }
    return trace;
  }

  std::optional<double> trip(const std::string& zone) const {
    return options_.trip_celsius ? options_.trip_celsius : passive_trip_celsius(sysfs_, zone);
  }

  // Mean power before the load. Taken from the trace, since the fit does not separate a short rest.
  double rest_power_w(const thermal::HeatTrace& trace) const {
    double sum = 0;
    std::size_t count = 0;
    for (const auto& row : trace.rows) {
      if (row.time_s > load_begin_s_) break;
      sum += row.power_w;
      ++count;
    }
    return count == 0 ? trace.rows.front().power_w : sum / static_cast<double>(count);
  }

  // Power of the load, corrected to the leakage at 50 C.
  double load_power_w(const thermal::HeatTrace& trace, const thermal::ThermalModel& model) const {
    double sum = 0;
    std::size_t count = 0;
    for (const auto& row : trace.rows) {
      if (row.time_s < load_begin_s_ + 10 || row.throttled) continue;
      sum += row.power_w / std::max(0.1, leakage_factor(model, row.celsius));
      ++count;
    }
    return count == 0 ? trace.rows.back().power_w : sum / static_cast<double>(count);
  }

  std::optional<thermal::ThermalFit> fitted(const thermal::HeatTrace& trace,
                                            std::size_t rows) const {
    thermal::ThermalFitOptions options;
    options.ambient_celsius = options_.ambient_celsius;
    options.most_rows = rows;
    try {
      return thermal::fit_thermal(trace, options);
    } catch (const UsageError&) {
      return std::nullopt;  // too little change in the trace
    }
  }

  thermal::HoldAnswer answer(const thermal::ThermalFit& fit, double power_w, double trip_celsius,
                             bool from_now) const {
    thermal::HoldQuestion question;
    question.power_w = power_w;
    question.trip_celsius = trip_celsius;
    question.fan = looks_.back().fan;
    if (from_now) question.from = fit.last;
    return thermal::how_long(fit, question);
  }

  // The verdict that ends the run. Absent: continue.
  std::optional<SoakVerdict> known(double load_s) const {
    const thermal::HeatTrace so_far = trace();
    const auto trip_celsius = trip(so_far.zone);
    const auto fit = fitted(so_far, kInterimRows);
    if (!fit) return std::nullopt;
    const double power_w = load_power_w(so_far, fit->model);
    const double limit = trip_celsius.value_or(options_.max_celsius);
    const thermal::HoldAnswer found = answer(*fit, power_w, limit, true);
    // The load must last long enough to show the time constant of the heat sink.
    if (!(load_s > 0.7 * found.slow_s)) return std::nullopt;
    const auto& steady = found.steady_interval;
    if (!trip_celsius) {  // the constants are known, but not when the board throttles
      if (load_s > 4 * found.slow_s) return SoakVerdict::kNotKnown;
    } else if (found.probability >= kSure && steady.hi < limit - kSafetyK) {
      return SoakVerdict::kHolds;
    } else if (found.probability <= 1 - kSure && steady.lo > limit + kSafetyK) {
      return SoakVerdict::kThrottles;
    }
    return std::nullopt;
  }

  void fit(SoakSummary& result) const {
    if (result.trace.rows.size() < 10) return;
    result.fit = fitted(result.trace, thermal::ThermalFitOptions().most_rows);
    if (!result.fit) {
      if (result.reason.empty()) result.reason = "the temperature hardly changed";
      return;
    }
    result.fit->trip_celsius = result.trip_celsius;
    result.fit->idle_w = std::min(result.fit->idle_w, rest_power_w(result.trace));
    result.load_w = load_power_w(result.trace, result.fit->model);
    if (result.trip_celsius) {
      result.hold = answer(*result.fit, result.load_w, *result.trip_celsius, false);
    }
  }

  void decide(SoakSummary& result) const {
    const bool hot = !reason_.empty() && reason_ != kNoTime;
    if (result.throttled_after_s || hot) {
      result.verdict = SoakVerdict::kThrottles;
      result.seen = true;
    } else if (result.hold) {
      // The check that ended the run fitted other rows than the final fit, so its constants differ
      // a little. Its verdict is the answer.
      if (ended_as_) {
        result.verdict = *ended_as_;
      } else if (result.duration_s > 0.7 * result.hold->slow_s) {
        if (result.hold->probability >= 0.95) result.verdict = SoakVerdict::kHolds;
        if (result.hold->probability <= 0.05) result.verdict = SoakVerdict::kThrottles;
      }
      result.seen =
          result.verdict == SoakVerdict::kHolds && result.duration_s > 4 * result.hold->slow_s;
    }
    if (result.verdict != SoakVerdict::kNotKnown) {
      if (result.reason == kNoTime) result.reason.clear();
    } else if (result.reason.empty()) {
      result.reason = !result.trip_celsius
                          ? "the trip temperature of the board is not known; give --trip"
                          : "the program ended before the final temperature of the heat sink could "
                            "be predicted";
    }
  }

  SoakPace pace(const std::vector<MarkedMinibatch>& marks, double begin_s, double end_s) const {
    SoakPace result;
    std::size_t count = 0;
    double gpu = 0, cpu = 0;
    for (const auto& look : looks_) {
      if (look.time_s <= begin_s || look.time_s > end_s) continue;
      ++count;
      gpu += look.gpu_hz, cpu += look.cpu_hz, result.power_w += look.power_w;
    }
    if (count > 0) {
      const auto n = static_cast<double>(count);
      if (gpu > 0) result.gpu_hz = gpu / n;
      if (cpu > 0) result.cpu_hz = cpu / n;
      result.power_w /= n;
    }
    // Minibatches are marked in real time, not in board time.
    const double from_s = begin_s_ + begin_s / scale_, to_s = begin_s_ + end_s / scale_;
    double busy_s = 0;
    std::size_t done = 0;
    for (const auto& minibatch : marks) {
      if (minibatch.begin_s < from_s || minibatch.end_s > to_s) continue;
      busy_s += minibatch.time_s();
      ++done;
    }
    if (done >= 3 && busy_s > 0) result.minibatches_per_s = static_cast<double>(done) / busy_s;
    return result;
  }

  const platform::Sysfs& sysfs_;
  const SoakOptions& options_;
  double scale_;
  platform::SensorReader reader_;
  std::unique_ptr<platform::PowerSource> source_;
  std::vector<platform::ThrottleSignal> first_throttling_;
  std::map<std::string, std::int64_t> last_throttling_;
  double begin_s_, last_look_s_ = 0, load_begin_s_ = 0, next_check_s_ = 0;
  std::unique_ptr<Sampler> sampler_;
  std::vector<PowerSample> samples_;
  // A sample may be late on a busy machine, so it counts for its own interval.
  EnergyIntegral power_;
  double energy_j_ = 0;  // until the last snapshot
  std::vector<SoakLook> looks_;
  std::vector<std::string> throttled_;
  std::optional<double> throttled_s_;
  std::optional<SoakVerdict> ended_as_;  // the verdict that ended the run
  std::string reason_;
};

}  // namespace

void SoakOptions::check() const {
  if (command.empty()) throw UsageError("soak needs a command", "", "give it after --");
  require_option(at_most_s > 0 && at_most_s <= 1e6, "at_most_s", at_most_s,
                 "more than 0 and at most 1e6 s");
  require_option(idle_s >= 0 && idle_s <= 1e5, "idle_s", idle_s, "0 to 1e5 s");
  require_option(rate_hz >= 1 && rate_hz <= 1000, "rate_hz", rate_hz, "1 to 1000 Hz");
  require_option(look_s >= 0.05 && look_s <= 60, "look_s", look_s, "0.05 to 60 s");
  require_option(max_celsius > 0 && max_celsius <= 150, "max_celsius", max_celsius,
                 "more than 0 and at most 150");
}

std::optional<double> passive_trip_celsius(const platform::Sysfs& sysfs, const std::string& zone) {
  const std::string folder = "/sys/class/thermal";
  std::optional<double> lowest;
  for (const auto& name : sysfs.list(folder)) {
    const std::string path = folder + "/" + name;
    if (name.rfind("thermal_zone", 0) != 0 || sysfs.text(path + "/type") != zone) continue;
    for (int trip = 0; trip < 16; ++trip) {
      const std::string point = fmt::format("{}/trip_point_{}_", path, trip);
      if (sysfs.text(point + "type") != "passive") continue;
      const auto millicelsius = sysfs.number(point + "temp");
      // Some kernels report 0 or less for a trip point that is not set.
      if (!millicelsius || *millicelsius < 30e3 || *millicelsius > 200e3) continue;
      lowest = std::min(lowest.value_or(1e9), *millicelsius / 1e3);
    }
  }
  return lowest;
}

SoakSummary soak_command(const platform::Sysfs& sysfs, const SoakOptions& options) {
  options.check();
  Soak soak(sysfs, options);
  soak.rest();
  const CommandRun run = run_marked_command(
      options.command, [&](const std::vector<TimedMark>&) { return soak.watch(); });
  return soak.summary(run);
}

}  // namespace ridgewatt::measure
