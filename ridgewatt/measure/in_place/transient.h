// Finds where the transient of a mode change ends in a series of minibatch times or power samples,
// and when the change took effect.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "ridgewatt/measure/in_place.h"

namespace ridgewatt::measure {

// Number of values to leave out at the beginning, by the marginal standard error rule (White 1997):
// the number that minimizes the variance of the remaining values divided by their count. At most
// half of all values.
std::size_t transient_length(std::span<const double> values);

// The time that splits the samples into two parts with the least sum of squares about their means.
// Empty unless the means differ by `least` (relative) and by four standard deviations.
std::optional<double> change_point(std::span<const TimedPower> samples, double least = 0.02);

// The time at which the minibatch time changed from `old_s` to `new_s`. A minibatch of the old time
// began at `begin_s`, and the last of `count` minibatches ended at `end_s`. Empty if the times
// differ by less than 15 %, or if noise (`spread`: relative deviation of a minibatch) makes the
// result meaningless.
std::optional<double> pace_change(double begin_s, double end_s, std::size_t count, double old_s,
                                  double new_s, double spread);

}  // namespace ridgewatt::measure
