#include "ridgewatt/cli/options/tune_options.h"

#include <utility>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/cli/options/option_rules.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/sweep/trusted_sweep.h"

namespace ridgewatt::cli {

void GoalOptions::add_to(CLI::App& command) {
  command.add_option(
      "--minimize", minimize,
      "time, energy, power, edp (energy-delay product), cost, latency or throughput; "
      "per sample; without it time, or latency where an --arrival-rate is given");
  quantity(command.add_option("--max-power", max_power_w, "Power limit"), watts().positive());
  quantity(command.add_option("--max-time", max_time_ms, "Time limit of a minibatch"),
           milliseconds().positive());
  quantity(command.add_option("--max-energy", max_energy_j, "Energy limit of a minibatch"),
           joules().positive());
  quantity(command.add_option("--max-slowdown", max_slowdown,
                              "Largest slowdown against MAXN at the largest batch"),
           share().within(0, 1e6));
  quantity(command.add_option("--max-latency", max_latency_ms,
                              "Limit on the worst latency of a request"),
           milliseconds().positive());
  quantity(command.add_option("--arrival-rate", rate, "Requests per second that must be served"),
           hertz().positive());
  quantity(command.add_option("--energy-weight", energy_weight, "Weight of a joule in `cost`"),
           number())
      ->capture_default_str();
  quantity(command.add_option("--time-weight", time_weight, "Weight of a second in `cost`"),
           number())
      ->capture_default_str();
}

void GoalOptions::check(const CLI::App& command) const {
  if (goal().objective != tune::Objective::kCost) {
    refuse_without_effect(command, {"--energy-weight", "--time-weight"}, "without --minimize cost");
  }
  if (!(rate > 0)) {
    refuse_without_effect(command, {"--max-latency"}, "of its own without --arrival-rate",
                          "it counts how long a batch gathers; --max-time limits a minibatch");
  }
}

tune::Goal GoalOptions::goal() const {
  tune::Goal goal;
  goal.objective = minimize   ? tune::parse_objective(*minimize)
                   : rate > 0 ? tune::Objective::kLatency
                              : tune::Objective::kTime;
  if (max_power_w) goal.limits.power_w = *max_power_w;
  if (max_time_ms) goal.limits.time_s = *max_time_ms / 1e3;
  if (max_energy_j) goal.limits.energy_j = *max_energy_j;
  if (max_latency_ms) goal.limits.latency_s = *max_latency_ms / 1e3;
  if (max_slowdown) goal.limits.slowdown = *max_slowdown;
  goal.rate_hz = rate;
  goal.energy_weight = energy_weight;
  goal.time_weight = time_weight;
  goal.check();
  return goal;
}

namespace {

Sweep with_remark(const Context& context, TrustedSweep trusted) {
  if (trusted.dropped > 0) remark(context, trusted.remark());
  return std::move(trusted.sweep);
}

}  // namespace

Sweep read_trusted_sweep(const Context& context, const std::string& path, bool keep_outliers,
                         const std::optional<std::string>& workload) {
  return with_remark(context, ridgewatt::read_trusted_sweep(path, {keep_outliers, workload}));
}

Sweep leave_out_flagged(const Context& context, const Sweep& sweep, const std::string& path) {
  return with_remark(context, drop_flagged_rows(sweep, path));
}

}  // namespace ridgewatt::cli
