// Computes the results of a window of minibatches: time and energy after the transient of a mode
// change, and when the change took effect.
#pragma once

#include <vector>

#include "ridgewatt/measure/in_place.h"
#include "ridgewatt/measure/in_place/program_log.h"

namespace ridgewatt::measure {

// Computes the figures of `window` from its minibatches; returns true if the window is complete.
// `late`: two minibatches are enough. `means`: each power is the mean since the previous sample.
bool assess(const ProgramLog& log, const std::vector<MarkedMinibatch>& all, bool late, bool means,
            const InPlaceOptions& options, InPlaceWindow& window);

// Adds the power samples during the minibatches that count. Throws NotFoundError without power.
void add_power_samples(const ProgramLog& log, InPlaceWindow& window);

// Returns whether the window has enough minibatches to determine when their time changed.
bool tells_pace(const InPlaceWindow& window, const InPlaceOptions& options);

// Determines when the mode change affected power and minibatch time. `old_pace_s`: minibatch time
// before the change; 0: unknown.
void tell_effects(const ProgramLog& log, double old_pace_s, const InPlaceOptions& options,
                  InPlaceWindow& window);

// Mean power, over guard_s, of a window that ended early because of the power limit.
double over_power_w(const ProgramLog& log, const InPlaceOptions& options,
                    const InPlaceWindow& window);

}  // namespace ridgewatt::measure
