// The few of a board's modes that a governor chooses among: those that can be the best of some
// mix, if the board is not quite as its twin.
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
  // Modes that draw so much more than the cheapest mix at their rate are left out, as a share.
  double excess = 0.12;
  std::size_t most = 96;  // those on the hull, then those furthest apart in their knobs
};

// At one batch. The twin's hull is that of all modes of `space` and of rest.
std::vector<OperatingPoint> promising_modes(const KnobSpace& space, int batch,
                                            const twin::TwinModel& model,
                                            const ModeChoice& choice = {});
// A twin as TwinDoubt asks it, with means over minibatches that follow each other. `twin` must
// outlive it.
tune::TwinView periods_by(const twin::Twin& twin,
                          std::shared_ptr<const workload::DeployedWorkload> workload);
// Power at rest in each mode, by the twin.
std::vector<double> idle_powers(const twin::Twin& twin, std::span<const OperatingPoint> modes);

}  // namespace ridgewatt::govern
