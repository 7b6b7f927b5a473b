// Searches for the fastest GPU clock within 20 W on your own device, with 20 profiles.
#include <cstdio>

#include "ridgewatt/device/board.h"
#include "ridgewatt/sweep/profiler.h"
#include "ridgewatt/tune/strategy.h"

// A device on which a higher GPU clock gives a lower time and a higher power.
class MyDevice final : public ridgewatt::Profiler {
 public:
  ridgewatt::Observation profile(const ridgewatt::OperatingPoint& point) override {
    const double gpu_ghz = point.mode.gpu_clock_hz / 1e9;
    return {point, 0.02 / gpu_ghz, 8 + 20 * gpu_ghz};
  }
  ridgewatt::Provenance provenance() const override { return ridgewatt::Provenance::kMeasured; }
};

int main() {
  const ridgewatt::tune::SearchSpace space(ridgewatt::knob_space(ridgewatt::load_board("agx-orin")),
                                           {1});
  ridgewatt::tune::Goal goal;
  goal.limits.power_w = 20;
  ridgewatt::tune::StrategyOptions options;
  options.budget.profiles = 20;
  MyDevice device;
  const auto found = ridgewatt::tune::tune(space, goal, device, options);
  if (found.answer) std::printf("%.1f ms\n", 1e3 * found.answer->time_s);
}
