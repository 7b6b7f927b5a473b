// A plan of training and inference on one board, as JSON and as a table for people.
#pragma once

#include "ridgewatt/answer/serve.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/report/table.h"

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

}  // namespace ridgewatt::report
