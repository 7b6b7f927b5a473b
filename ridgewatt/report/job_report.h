// Results for questions about work over time: a job, a day, a periodic task, and a round of
// federated learning. Durations and energies of jobs as text.
#pragma once

#include <string>

#include "ridgewatt/answer/federated.h"
#include "ridgewatt/answer/jobs.h"
#include "ridgewatt/report/result.h"
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

// One row per part of each way to do the job (answer/jobs.h). JSON keys: question, provenance,
// origin, ways. Throws NoSolutionError if no way meets the goals.
Result job_result(const answer::JobAnswer& found);
// One row per way to do the task. Throws NoSolutionError if no mode is fast enough.
Result period_result(const answer::PeriodAnswer& found);
// Boards, compared rounds and stragglers. With `front` the table is the Pareto front of rounds,
// energy over time. JSON keys: provenance, rounds, boards, stragglers, without_stragglers_s, front.
Result federated_result(const answer::FederatedAnswer& found, bool front);

}  // namespace ridgewatt::report
