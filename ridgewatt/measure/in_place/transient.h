// Where the transient of a mode change ends in a series of minibatches or power samples, and when
// the change took effect.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "ridgewatt/measure/in_place.h"

namespace ridgewatt::measure {

// Values at the beginning that are to be left out by the marginal standard error rule (White 1997):
// the d that minimizes the variance of what is left over its number, d at most half of all.
std::size_t transient_length(std::span<const double> values);

// The time that splits samples into two means with the least sum of squares; nothing where the
// means do not differ by `least` (relative) and by four deviations.
std::optional<double> change_point(std::span<const TimedPower> samples, double least = 0.02);

// When the pace changed, from the minibatches between two marks that enclose the change: at
// `begin_s` a minibatch of the old pace began, at `end_s` the last of `count` ended in the new one.
// Nothing where the paces differ by less than 15 %, or where noise (`spread`: relative deviation of
// a minibatch) would make it meaningless.
std::optional<double> pace_change(double begin_s, double end_s, std::size_t count, double old_s,
                                  double new_s, double spread);

}  // namespace ridgewatt::measure
