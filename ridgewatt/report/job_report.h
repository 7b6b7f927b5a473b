// Results for questions about work over time: a job, a day, a periodic task, and a round of
// federated learning.
#pragma once

#include "ridgewatt/answer/federated.h"
#include "ridgewatt/answer/jobs.h"
#include "ridgewatt/report/result.h"

namespace ridgewatt::report {

// One row per part of each way to do the job (answer/jobs.h). JSON keys: question, provenance,
// origin, ways.
Result job_result(const answer::JobAnswer& found);
// One row per way to do the task.
Result period_result(const answer::PeriodAnswer& found);
// Boards, compared rounds and stragglers. With `front` the table is the Pareto front of rounds,
// energy over time. JSON keys: provenance, rounds, boards, stragglers, without_stragglers_s, front.
Result federated_result(const answer::FederatedAnswer& found, bool front);

}  // namespace ridgewatt::report
