// Selects the modes that a governor chooses from: those that can be part of the best mix if the
// board differs slightly from its twin.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "ridgewatt/device/knob_space.h"
#include "ridgewatt/tune/twin_doubt.h"
#include "ridgewatt/twin/twin_model.h"

namespace ridgewatt::govern {

struct ModeChoice {
  // Modes that draw more than the cheapest mix at their rate by this share are left out.
  double excess = 0.12;
  std::size_t most = 96;  // those on the hull, then those farthest apart in their knobs
};

// For one batch. The hull of the twin is that of all modes of `space` and of idle.
std::vector<OperatingPoint> promising_modes(const KnobSpace& space, int batch,
                                            const twin::TwinModel& model,
                                            const ModeChoice& choice = {});
// A twin as a view for TwinDoubt, with means over consecutive minibatches. `twin` must outlive it.
tune::TwinView periods_by(const twin::Twin& twin,
                          std::shared_ptr<const workload::DeployedWorkload> workload);
// Idle power in each mode, according to the twin.
std::vector<double> idle_powers(const twin::Twin& twin, std::span<const OperatingPoint> modes);

}  // namespace ridgewatt::govern
