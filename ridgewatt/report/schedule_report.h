// A plan of training and inference on one board, as JSON and as a table for people.
#pragma once

#include <string>
#include <string_view>

#include "ridgewatt/answer/serve.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/report/table.h"
#include "ridgewatt/schedule/simulate.h"

namespace ridgewatt::report {

// {"feasible":false,"nearest_miss":{...,"misses":"..."}} or {"feasible":true,...}, with mode,
// batch, training_minibatches_per_cycle, training_throughput, latency_ms, power_w and more.
Json plan_to_json(const schedule::Plan& plan);
// The contract of `schedule plan --format json`: the same with bound, strategy, idle_power, seed,
// origin and what was profiled.
Json plan_to_json(const answer::PlanAnswer& found);
// A row per mode and batches: what both programs take alone, beside each other with bounds, and in
// turns.
Table sharing_table(const answer::SharingAnswer& found);
// Quantity and value, one per row, for people.
Table plan_table(const schedule::Plan& plan);

// A feasible plan with all that a simulation needs of it: the part "serving" of the JSON of a plan.
struct PlannedServing {
  schedule::PlanProblem problem;
  schedule::ServingPlan serving;
  RowOrigin origin = {};
  std::string idle_source = {};  // where the idle power comes from, in words
};

// Mode, rate and limits; of each batch of the inference known at the mode, and of each minibatch of
// the training round, what it takes and draws.
Json planned_to_json(const PlannedServing& planned);

// From a result of `schedule plan --format json`. InputError: not such a result, or a number that
// cannot be. NoSolutionError: it found no plan.
PlannedServing parse_planned(std::string_view text, const std::string& source);
PlannedServing read_planned(const std::string& path);

}  // namespace ridgewatt::report
