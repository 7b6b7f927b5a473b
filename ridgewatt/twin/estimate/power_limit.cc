// The GPU clock at which the firmware of a discrete GPU holds a power limit.
#include <algorithm>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <cstdint>

#include "ridgewatt/base/error.h"
#include "ridgewatt/twin/estimate/estimator_parts.h"

namespace ridgewatt::twin {

// Does not cache the states: the search for a clock visits many states, each of them once.
Breakdown Estimator::once_at(double gpu_clock_hz, const PowerMode& mode,
                             const RunOptions& run) const {
  const auto gpu = make_gpu_state(*rates_, gpu_clock_hz, gpu_clocks(mode).second, nullptr);
  const CpuState cpu = cpu_state(*rates_, mode, run);
  return combine(*rates_, *gpu, cpu, times(*rates_, *gpu, cpu));
}

double working_power_w(const Breakdown& at) {
  return at.always_w + (at.total.power_w - at.always_w) / std::min(1.0, at.gpu_load);
}

double Estimator::limit_w(const PowerMode& mode) const {
  return std::min(twin_.power_limit_w, power_limit_w(mode).value_or(twin_.power_limit_w));
}

PowerMode Estimator::under_limit(const PowerMode& mode, const RunOptions& run) const {
  if (!mode.governor.empty() && !power_limit_w(mode)) {
    throw NotSupportedError("governors are not modelled for this board", mode.governor,
                            "give a power limit, for example limit=150");
  }
  const double limit = limit_w(mode), most_hz = gpu_clocks(mode).first;
  const double least_hz = std::min(twin_.levels[Knob::kGpuClock].front(), most_hz);
  const auto over_limit = [&](const Breakdown& at) {
    return std::log(working_power_w(at) / limit);
  };
  const auto over = [&](double log_hz) { return over_limit(once_at(std::exp(log_hz), mode, run)); };
  PowerMode at = mode;
  at.gpu_clock_hz = most_hz;
  const double low = std::log(least_hz), high = std::log(most_hz);
  const double over_high = over_limit(at_clocks(at, run));  // cached: it is usually the answer
  if (!(over_high > 0) || !(least_hz < most_hz)) return at;
  const double over_low = over(low);
  if (over_low >= 0) {
    at.gpu_clock_hz = least_hz;
    return at;
  }
  std::uintmax_t rounds = 60;
  const auto ends = boost::math::tools::toms748_solve(
      over, low, high, over_low, over_high, boost::math::tools::eps_tolerance<double>(44), rounds);
  at.gpu_clock_hz = std::exp((ends.first + ends.second) / 2);
  return at;
}

double Estimator::time_over_limit(const Breakdown& at) const {
  constexpr double kStep = 0.02;
  const double clock_hz = at.clocks.gpu_clock_hz;
  const Breakdown less = once_at(clock_hz * std::exp(-kStep), at.clocks, options_);
  const double power = std::log(working_power_w(at) / working_power_w(less));
  const double time = std::log(less.total.period_s / at.total.period_s);
  return power > 0 ? std::max(0.0, time / power) : 0;
}

}  // namespace ridgewatt::twin
