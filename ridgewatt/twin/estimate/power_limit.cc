// The GPU clock at which a discrete GPU holds a power limit, or a module its own limit.
#include <algorithm>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <cstdint>

#include "ridgewatt/base/error.h"
#include "ridgewatt/twin/estimate/estimator_parts.h"
#include "ridgewatt/twin/hardware.h"

namespace ridgewatt::twin {

// Does not cache the states: the search for a clock visits many states, each of them once.
Breakdown Estimator::once_at(double gpu_clock_hz, const PowerMode& mode,
                             const RunOptions& run) const {
  const auto gpu = make_gpu_state(*rates_, {gpu_clock_hz, gpu_clocks(mode)[1]}, nullptr);
  const CpuState cpu = cpu_state(*rates_, mode, run);
  return combine(*rates_, *gpu, cpu, times(*rates_, *gpu, cpu));
}

double working_power_w(const Breakdown& at) {
  return at.always_w + (at.total.power_w - at.always_w) / std::min(1.0, at.gpu_load);
}

double Estimator::limit_w(const PowerMode& mode) const {
  return std::min(twin_.power_limit_w, power_limit_w(mode).value_or(twin_.power_limit_w));
}

double Estimator::clock_under(double limit_w, const PowerMode& mode, const RunOptions& run) const {
  const double most_hz = gpu_clocks(mode)[0];
  const double least_hz = std::min(least_limited_hz(twin_.levels[Knob::kGpuClock]), most_hz);
  const auto over_limit = [&](const Breakdown& at) {
    return std::log((twin_.discrete ? working_power_w(at) : at.total.power_w) / limit_w);
  };
  const auto over = [&](double log_hz) { return over_limit(once_at(std::exp(log_hz), mode, run)); };
  PowerMode top = mode;
  top.gpu_clock_hz = most_hz;
  const double low = std::log(least_hz), high = std::log(most_hz);
  const double over_high = over_limit(at_clocks(top, run));  // cached: it is usually the answer
  if (!(over_high > 0) || !(least_hz < most_hz)) return most_hz;
  const double over_low = over(low);
  if (over_low >= 0) return least_hz;
  std::uintmax_t rounds = 60;
  const auto ends = boost::math::tools::toms748_solve(
      over, low, high, over_low, over_high, boost::math::tools::eps_tolerance<double>(44), rounds);
  return std::exp((ends.first + ends.second) / 2);
}

// If the module exceeds its limit even at its lowest clock, the same energy takes longer.
void Estimator::hold_limit(Breakdown& at) const {
  const double limit_w = twin_.power_limit_w, over_w = at.total.power_w - limit_w;
  at.total.power_w = limit_w;
  if (!(over_w > 1e-9 * limit_w)) return;  // the tolerance of clock_under()
  const double left_w = limit_w - at.always_w;
  const double longer = left_w > 0 ? 1 + over_w / left_w : 1 + over_w / limit_w;
  at.static_j += (longer - 1) * at.always_w * at.total.period_s;
  for (double& part : at.time_s) part *= longer;
  for (double* time_s : {&at.total.period_s, &at.total.pipe_s, &at.total.median_s}) {
    *time_s *= longer;
  }
}

PowerMode Estimator::under_limit(const PowerMode& mode, const RunOptions& run) const {
  if (!mode.governor.empty() && !power_limit_w(mode)) {
    throw NotSupportedError("governors are not modelled for this board", mode.governor,
                            "give a power limit, for example limit=150");
  }
  PowerMode at = mode;
  at.gpu_clock_hz = clock_under(limit_w(mode), mode, run);
  return at;
}

}  // namespace ridgewatt::twin
