// What a window of minibatches says: time and energy of those after the transient of the change,
// and when the change took effect.
#pragma once

#include <vector>

#include "ridgewatt/measure/in_place.h"
#include "ridgewatt/measure/in_place/program_log.h"

namespace ridgewatt::measure {

// Fills in the window from its minibatches; true when it is complete. `late`: two of them will do.
// `means`: samples of power are means since the sample before.
bool assess(const ProgramLog& log, const std::vector<MarkedMinibatch>& all, bool late, bool means,
            const InPlaceOptions& options, InPlaceWindow& window);

// Adds the samples of power while the minibatches ran that count. NotFoundError without power.
void add_power_samples(const ProgramLog& log, InPlaceWindow& window);

// Of fewer minibatches neither pace nor spread is known well enough to say when a change was.
bool tells_pace(const InPlaceWindow& window, const InPlaceOptions& options);

// When the change of mode showed in power and in the pace, which was `old_pace_s` before; 0: it is
// not known.
void tell_effects(const ProgramLog& log, double old_pace_s, const InPlaceOptions& options,
                  InPlaceWindow& window);

// Power of a window that was broken off, averaged as the limit is.
double over_power_w(const ProgramLog& log, const InPlaceOptions& options,
                    const InPlaceWindow& window);

}  // namespace ridgewatt::measure
