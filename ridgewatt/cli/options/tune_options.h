// What `tune` and `evaluate strategies` share: the goal and the search from options.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/cli/command.h"
#include "ridgewatt/sweep/sweep.h"
#include "ridgewatt/tune/problem.h"
#include "ridgewatt/tune/strategy.h"

namespace ridgewatt::cli {

// Limits as a user writes them; absent ones do not limit.
struct GoalOptions {
  std::optional<std::string> minimize;  // without it time, or latency at a rate
  std::optional<double> max_power_w, max_time_ms, max_energy_j, max_latency_ms, max_slowdown;
  double rate = 0;
  double energy_weight = 1, time_weight = 1;

  void add_to(CLI::App& command);
  // Refuses what has no effect on the question.
  void check(const CLI::App& command) const;
  tune::Goal goal() const;  // checked
};

// As in sweep/trusted_sweep.h; a remark on standard error says how many rows were dropped.
Sweep read_trusted_sweep(const Context& context, const std::string& path, bool keep_outliers,
                         const std::optional<std::string>& workload = {});
// The same of a sweep that was read already from `path`.
Sweep leave_out_flagged(const Context& context, const Sweep& sweep, const std::string& path);

}  // namespace ridgewatt::cli
