// Selects the candidate modes of a governor: those that may be part of the best mix (govern/mix.h)
// if the board differs slightly from its twin.
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
  // Excludes a mode if its power exceeds that of the best mix at its rate by more than this
  // share.
  double excess = 0.12;
  // Maximum number. Modes on the hull come first, then modes that are far apart in their knobs.
  std::size_t most = 96;
};

// Returns candidates at one batch, the nearest to the hull first. The hull is that of the idle
// board and all modes of `space`. Throws UsageError if `space` is empty.
std::vector<OperatingPoint> promising_modes(const KnobSpace& space, int batch,
                                            const twin::TwinModel& model,
                                            const ModeChoice& choice = {});
// Returns the view of a twin for TwinDoubt (tune/twin_doubt.h). Its time is the period of a
// minibatch. `twin` must outlive the result.
tune::TwinView periods_by(const twin::Twin& twin,
                          std::shared_ptr<const workload::DeployedWorkload> workload);
// Returns the idle power in each mode according to the twin.
std::vector<double> idle_powers(const twin::Twin& twin, std::span<const OperatingPoint> modes);

}  // namespace ridgewatt::govern
