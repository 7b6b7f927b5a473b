#include "ridgewatt/cli/options/tune_options.h"

#include <fmt/format.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/cli/options/option_rules.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/sweep/quality.h"

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
  if (goal().objective != Objective::kCost) {
    refuse_without_effect(command, {"--energy-weight", "--time-weight"}, "without --minimize cost");
  }
  if (!(rate > 0)) {
    refuse_without_effect(command, {"--max-latency"}, "of its own without --arrival-rate",
                          "it counts how long a batch gathers; --max-time limits a minibatch");
  }
}

Goal GoalOptions::goal() const {
  Goal goal;
  goal.objective = minimize   ? parse_objective(*minimize)
                   : rate > 0 ? Objective::kLatency
                              : Objective::kTime;
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

Sweep read_trusted_sweep(const Context& context, const std::string& path, bool keep_outliers,
                         const std::optional<std::string>& workload) {
  Sweep chosen = choose_sweep(read_sweeps(path), workload, path);
  return keep_outliers ? average_repeats(std::move(chosen))
                       : leave_out_flagged(context, chosen, path);
}

Sweep leave_out_flagged(const Context& context, const Sweep& sweep, const std::string& path) {
  const QualityReport report = check_quality(sweep);
  const std::size_t flagged = report.flagged_rows(), rows = sweep.observations.size();
  if (report.flagged_share() > kMostFlagged) {
    throw InputError(
        fmt::format("the quality check doubts {} of {} rows, too many to leave out unasked",
                    flagged, rows),
        path,
        "--keep-outliers uses them all; `ridgewatt sweep check` says why, its -o writes the rest");
  }
  if (flagged > 0) {
    remark(
        context,
        fmt::format("{}: {} of {} rows left out by the quality check (--keep-outliers keeps them)",
                    path, flagged, rows));
  }
  return trusted_rows(sweep, report);
}

}  // namespace ridgewatt::cli
