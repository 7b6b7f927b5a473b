// What the schedule commands share: workloads and problem from options, a plan as JSON and table.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/cli/command.h"
#include "ridgewatt/schedule/plan.h"

namespace ridgewatt::cli {

struct ScheduleOptions {
  std::string infer;
  std::vector<std::string> train;
  std::vector<std::string> non_urgent;
  std::vector<double> non_urgent_rate;
  double rate = 0;
  double max_latency_ms = 0;  // 0: no bound
  double max_power_w = 0;     // 0: no budget
  std::string bound = "strict";
  bool keep_outliers = false;

  void add_to(CLI::App& command);
  PlanProblem problem() const;
  // Reads the sweeps; flagged rows are left out unless wanted, and a remark says how many.
  ScheduleWorkloads workloads(const Context& context) const;
};

// The fields of a feasible plan: mode, batch, training_minibatches_per_cycle, ...
Json plan_to_json(const Plan& plan);
// {"feasible":false,"nearest_miss":{...,"misses":"..."}} or {"feasible":true,...}.
Json answer_to_json(const Plan& plan);
// Quantity and value, one a row, for people.
Table plan_table(const Plan& plan);

}  // namespace ridgewatt::cli
