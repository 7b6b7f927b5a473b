#include "ridgewatt/measure/in_place/window_figures.h"

#include <algorithm>
#include <limits>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/measure/in_place/transient.h"
#include "ridgewatt/measure/power_trace.h"
#include "ridgewatt/measure/window.h"

namespace ridgewatt::measure {
namespace {

constexpr double kEffectWithinS = 1.5;  // maximum time until a mode change has an effect
constexpr double kBeforeChangeS = 0.3;  // power history before the change, to detect the step
// A minibatch that ends within this time after the write may have run in both modes.
constexpr double kSureS = 0.05;
// Times the median; a longer minibatch is a pause, such as a checkpoint.
constexpr double kPause = 10;
constexpr std::size_t kPowerBatch = 5;  // samples averaged to find the transient (MSER-5)

double half_width(const MeanInterval& interval) {
  return interval.mean > 0 ? (interval.hi - interval.lo) / 2 / interval.mean
                           : std::numeric_limits<double>::infinity();
}

// Time at which power has settled after the mode change.
double settled_s(const std::vector<TimedPower>& power, const InPlaceWindow& window) {
  std::vector<double> batches, ends;
  double sum_w = 0;
  std::size_t count = 0;
  for (const auto& sample : power) {
    if (sample.time_s <= window.set_s) continue;
    sum_w += sample.power_w;
    if (++count % kPowerBatch != 0) continue;
    batches.push_back(sum_w / kPowerBatch);
    ends.push_back(sample.time_s);
    sum_w = 0;
  }
  const std::size_t left_out = transient_length(batches);
  return left_out > 0 ? ends[left_out - 1] : window.set_s;
}

// The minibatches without pauses and after the transient of the mode change.
std::vector<MarkedMinibatch> steady_ones(const ProgramLog& log,
                                         const std::vector<MarkedMinibatch>& all,
                                         InPlaceWindow& window) {
  const auto times_of = [](const std::vector<MarkedMinibatch>& minibatches) {
    std::vector<double> times;
    for (const auto& one : minibatches) times.push_back(one.time_s());
    return times;
  };
  std::vector<MarkedMinibatch> counted = all;
  const double middle_s = median(times_of(counted));
  std::erase_if(counted, [&](const auto& one) { return one.time_s() > kPause * middle_s; });
  window.pauses = static_cast<int>(all.size() - counted.size());
  if (!window.changed || counted.size() < 4) return counted;
  const std::size_t transient = transient_length(times_of(counted));
  const double steady_s =
      std::min(settled_s(log.power(), window), counted[counted.size() / 2].begin_s);
  counted.erase(counted.begin(), counted.begin() + static_cast<std::ptrdiff_t>(transient));
  std::erase_if(counted, [&](const auto& one) { return one.begin_s < steady_s; });
  return counted;
}

PowerTrace trace_of(const std::vector<TimedPower>& power) {
  PowerTrace trace{"total", true, {}, {}};
  for (const auto& sample : power) {
    if (!trace.times_s.empty() && sample.time_s <= trace.times_s.back()) continue;
    trace.times_s.push_back(sample.time_s);
    trace.powers_w.push_back(sample.power_w);
  }
  return trace;
}

}  // namespace

bool assess(const ProgramLog& log, const std::vector<MarkedMinibatch>& all, bool late, bool means,
            const InPlaceOptions& options, InPlaceWindow& window) {
  std::vector<MarkedMinibatch> counted = steady_ones(log, all, window);
  window.left_out = static_cast<int>(all.size() - counted.size()) - window.pauses +
                    (window.changed ? 1 : 0);  // the minibatch during which the mode changed
  const auto least = static_cast<std::size_t>(late ? 2 : options.least_minibatches);
  if (counted.size() < least) return false;
  PowerTrace trace = trace_of(log.power());
  if (trace.times_s.empty()) return false;
  if (means) trace = as_steps(trace);
  const PowerIntegral energy(trace);
  std::vector<double> times, energies;
  for (auto& one : counted) {
    one.energy_j = energy.energy_j(one.begin_s, one.end_s);
    times.push_back(one.time_s());
    energies.push_back(one.energy_j);
  }
  const auto time = batch_means_interval(times), joules = batch_means_interval(energies);
  window.time_s = time.mean;
  window.energy_j = joules.mean;
  window.power_w = joules.mean / time.mean;
  window.time_error = half_width(time);
  window.energy_error = half_width(joules);
  window.median_s = median(times);
  window.spread = median_absolute_deviation(times) / window.median_s;
  window.minibatches = static_cast<int>(counted.size());
  window.begin_s = counted.front().begin_s;
  window.end_s = counted.back().end_s;
  window.times = std::move(counted);
  window.precise = std::max(window.time_error, window.energy_error) <= options.precision;
  return window.precise || late || window.minibatches >= options.most_minibatches;
}

void add_power_samples(const ProgramLog& log, InPlaceWindow& window) {
  for (const auto& sample : log.power()) {
    if (sample.time_s < window.begin_s || sample.time_s > window.end_s) continue;
    if (!window.power.empty()) {
      window.largest_gap_s =
          std::max(window.largest_gap_s, sample.time_s - window.power.back().time_s);
    }
    window.power.push_back(sample);
  }
  window.power_samples = static_cast<int>(window.power.size());
  if (!(window.power_w > 0))
    throw NotFoundError("no power was measured in a window", describe(window.point.mode),
                        "check with `ridgewatt sensors` that the board measures power");
}

bool tells_pace(const InPlaceWindow& window, const InPlaceOptions& options) {
  return window.minibatches >= options.least_minibatches && window.spread > 0;
}

void tell_effects(const ProgramLog& log, double old_pace_s, const InPlaceOptions& options,
                  InPlaceWindow& window) {
  std::vector<TimedPower> around;
  for (const auto& sample : log.power()) {
    if (sample.time_s > window.set_s - kBeforeChangeS &&
        sample.time_s < window.set_s + kEffectWithinS)
      around.push_back(sample);
  }
  if (const auto change_s = change_point(around)) {
    if (*change_s > window.set_s) window.power_effect_s = *change_s - window.set_s;
  }
  if (!(old_pace_s > 0) || !tells_pace(window, options)) return;
  // Find the marks before and after the change.
  const TimedMark* begin = nullptr;
  std::size_t count = 0;
  for (const auto& mark : log.marks()) {
    if (mark.kind != TimedMark::Kind::kMinibatch) continue;
    if (mark.time_s <= window.set_s) {
      begin = &mark;
      continue;
    }
    if (begin == nullptr) return;
    ++count;
    if (mark.time_s < window.set_s + window.write_s + kSureS) continue;
    const auto change_s =
        pace_change(begin->time_s, mark.time_s, count, old_pace_s, window.median_s, window.spread);
    if (change_s && *change_s > begin->time_s && *change_s < mark.time_s) {
      window.time_effect_s = *change_s - window.set_s;
    }
    return;
  }
}

double over_power_w(const ProgramLog& log, const InPlaceOptions& options,
                    const InPlaceWindow& window) {
  const auto& power = log.power();
  double sum_w = 0;
  int count = 0;
  for (auto at = power.rbegin(); at != power.rend(); ++at) {
    const bool late = at->time_s > power.back().time_s - options.guard_s / 2;
    if (at->time_s <= window.set_s + window.write_s || !late) break;
    sum_w += at->power_w;
    ++count;
  }
  return count > 0 ? std::max(sum_w / count, options.power_limit_w) : options.power_limit_w;
}

}  // namespace ridgewatt::measure
