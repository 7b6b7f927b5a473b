// Formats the duration and energy of a job as text.
#pragma once

#include <string>

#include "ridgewatt/twin/estimate.h"

namespace ridgewatt::report {

inline constexpr double kSecondsPerHour = 3600;
inline constexpr double kJoulesPerWh = 3600;

// "0.85 s", "12.3 s", "4 min 5 s", "1 h 23 min", "51 h 40 min".
std::string duration_text(double seconds);
// "0.524 Wh"; "1.9 kWh" from 1,000 Wh on.
std::string energy_text(double joules);
// "1 h 23 min and 12.4 Wh".
std::string job_text(const twin::JobCost& job);

}  // namespace ridgewatt::report
