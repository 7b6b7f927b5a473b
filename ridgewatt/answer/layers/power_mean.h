// The mean power of a run from a file of samples: the output of `measure --series-csv` (time_s,
// channel, value), or the log of an external meter (time_s or unix_s, and power_w or voltage_v and
// current_a).
#pragma once

#include <string>

namespace ridgewatt::answer {

// Returns the time-weighted mean in watts over all samples from time 0 on; earlier samples are the
// idle baseline. `channel` is a name with or without "power:". If it is empty, the only channel is
// used or, of several, the total or VDD_IN. Throws InputError, and the errors of reading a CSV.
double mean_power_w(const std::string& path, const std::string& channel);

}  // namespace ridgewatt::answer
