// What the schedule commands share: workloads and problem from options.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/cli/command.h"
#include "ridgewatt/cli/schedule/schedule_models.h"
#include "ridgewatt/schedule/plan.h"

namespace ridgewatt::cli {

struct ScheduleOptions {
  std::string infer;
  std::vector<std::string> train;
  std::vector<std::string> non_urgent;
  std::vector<double> non_urgent_rate;
  std::optional<double> rate, max_latency_ms, max_power_w;
  schedule::Bound bound = schedule::Bound::kStrict;
  bool keep_outliers = false;
  std::optional<double> idle_power_w;
  double switch_ms = 0;
  std::vector<double> busy_shares;  // of each program, the inference first
  ScheduleModels models;            // in place of sweeps, where the command offers that

  bool has_inference() const { return !infer.empty() || !models.inference.empty(); }
  void add_to(CLI::App& command);
  // Of them the programs alone, without what is asked of them.
  void add_programs_to(CLI::App& command);
  // --busy-share: of sweeps, or in place of what the twin says of models.
  void add_busy_share_to(CLI::App& command);
  void add_idle_power_to(CLI::App& command);
  schedule::PlanProblem problem() const;
  // Reads the sweeps; flagged rows are left out unless wanted, and a remark says how many.
  schedule::ScheduleWorkloads workloads(const Context& context) const;
};

}  // namespace ridgewatt::cli
