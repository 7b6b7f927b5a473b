#include "ridgewatt/llm/engine/held_phase.h"

#include <algorithm>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <cstdint>

namespace ridgewatt::llm {

HeldPhase held_phase(const EngineBoard& board, const PowerMode& mode, int sms,
                     const CostOfPhase& cost) {
  HeldPhase phase;
  phase.free = phase.hardware = board(mode, sms);
  phase.free_w = cost(phase.free).power_w;
  const double limit_w = phase.most_w = phase.free.limit_w;
  const double most_hz = phase.free.gpu_hz, least_hz = std::min(board.least_gpu_hz(), most_hz);
  if (phase.free_w <= limit_w || !(least_hz > 0)) return phase;
  const auto at = [&](double gpu_clock_hz) {
    PowerMode lower = mode;
    lower.gpu_clock_hz = gpu_clock_hz;
    return board(lower, sms);
  };
  const auto over = [&](double log_hz) {
    return std::log(cost(at(std::exp(log_hz))).power_w / limit_w);
  };
  phase.lowered = least_hz < most_hz;
  const double low = std::log(least_hz), high = std::log(most_hz);
  const double over_low = over(low);
  if (over_low >= 0) {
    phase.hardware = at(least_hz);
    phase.held = false;
    phase.most_w = board.limit_w();
    return phase;
  }
  std::uintmax_t rounds = 60;
  const auto ends =
      boost::math::tools::toms748_solve(over, low, high, over_low, std::log(phase.free_w / limit_w),
                                        boost::math::tools::eps_tolerance<double>(44), rounds);
  const double clock_hz = std::exp((ends.first + ends.second) / 2);
  phase.hardware = at(clock_hz);
  constexpr double kStep = 0.02;
  const PhaseCost here = cost(phase.hardware), less = cost(at(clock_hz * std::exp(-kStep)));
  const double power = std::log(here.power_w / less.power_w);
  if (power > 0) {
    phase.time_over_power = std::max(0.0, std::log(less.time_s / here.time_s) / power);
  }
  return phase;
}

}  // namespace ridgewatt::llm
