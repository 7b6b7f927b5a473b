// The clocks at which a phase of a request runs under a power limit.
#pragma once

#include <functional>

#include "ridgewatt/device/power_mode.h"
#include "ridgewatt/llm/engine.h"

namespace ridgewatt::llm {

// Time and power of a phase at some clocks.
struct PhaseCost {
  double time_s = 0, power_w = 0;
};
using CostOfPhase = std::function<PhaseCost(const EngineHardware&)>;

struct HeldPhase {
  EngineHardware free;      // at the clocks of the mode
  EngineHardware hardware;  // at the clocks at which the phase runs
  bool lowered = false;     // the power limit lowers the GPU clock
  bool held = true;         // whether the power is at most the limit
  double free_w = 0;        // power at the clocks of the mode
  double most_w = 0;        // bound on the power
  // If `lowered`: the derivative of ln(time) by -ln(power), along the GPU clock.
  double time_over_power = 0;
  double over() const { return free_w / free.limit_w; }
};

// A discrete GPU lowers its clock until the mean power of the phase meets the limit. If the lowest
// clock is not enough, it exceeds the limit. The model does not lower the clocks of a Jetson.
HeldPhase held_phase(const EngineBoard& board, const PowerMode& mode, int sms,
                     const CostOfPhase& cost);

}  // namespace ridgewatt::llm
