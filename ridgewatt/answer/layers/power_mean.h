// The mean power of a run from a file of samples: the series of `measure --series-csv` (time_s,
// channel, value), or an external meter's log (time_s or unix_s, and power_w or voltage_v and
// current_a).
#pragma once

#include <string>

namespace ridgewatt::answer {

// Time-weighted mean in watts over all samples from time 0 on: what is earlier in a series is its
// idle baseline. `channel` with or without "power:"; empty: the only one, else the total, else
// VDD_IN. Throws InputError and what reading a CSV throws.
double mean_power_w(const std::string& path, const std::string& channel);

}  // namespace ridgewatt::answer
