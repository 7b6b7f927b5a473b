#include "ridgewatt/report/columns.h"
#include "ridgewatt/report/field.h"
#include "ridgewatt/report/schedule_report.h"

namespace ridgewatt::report {
namespace {

using answer::ServedTrace;
using schedule::PolicyScore;

// A value of the policy that plans again at run time, multiplied by kFactor.
template <int kFactor, double (PolicyScore::*kMember)() const>
Cell policy_cell(const ServedTrace& trace) {
  return kFactor * (trace.summary.policy.*kMember)();
}
// Of the windows in which the limit could be met, the share in which the policy met it, in percent.
template <PolicyScore schedule::DynamicSummary::*kPolicy>
Cell met_cell(const ServedTrace& trace) {
  return 100 * trace.summary.met_share(trace.summary.*kPolicy);
}
Cell met_of_feasible_cell(const ServedTrace& trace) {
  const auto& summary = trace.summary;
  return summary.feasible > 0 ? 100.0 * static_cast<double>(summary.policy.met) /
                                    static_cast<double>(summary.feasible)
                              : 0;
}

Table arrivals_table(const std::vector<ServedTrace>& traces) {
  using T = ServedTrace;
  using S = schedule::DynamicSummary;
  return table_of<T>(
      {{{"trace"}, at<&T::name>},
       {{"requests"}, at<&T::summary, &S::requests>},
       {{"windows"}, at<&T::summary, &S::windows>},
       {{.name = "possible_windows", .heading = "possible", .rank = 2},
        at<&T::summary, &S::possible>},
       {{.name = "feasible_windows", .heading = "feasible", .rank = 3},
        at<&T::summary, &S::feasible>},
       {{"met_pct", "p99 met (%)"}, met_cell<&S::policy>},
       {{.name = "met_of_feasible_pct", .rank = 2}, met_of_feasible_cell},
       {{"training_throughput", "training (1/s)"}, policy_cell<1, &PolicyScore::training_hz>},
       {{.name = "achievable_throughput", .heading = "achievable (1/s)", .rank = 1},
        policy_cell<1, &PolicyScore::achievable_hz>},
       {{.name = "bound_throughput", .heading = "bound (1/s)", .rank = 1},
        policy_cell<1, &PolicyScore::bound_hz>},
       {{.name = "regret_pct", .rank = 1}, policy_cell<100, &PolicyScore::regret>},
       {{.name = "least_regret_pct", .rank = 2}, policy_cell<100, &PolicyScore::least_regret>},
       {{.name = "highest_pct_of_bound", .heading = "highest percent of bound", .rank = 4},
        times<100, &T::summary, &S::highest_share_of_bound>},
       {{.name = "plan_changes", .rank = 4}, at<&T::summary, &S::plans_changed>},
       {{.name = "mode_changes", .rank = 4}, at<&T::summary, &S::mode_changes>},
       {{.name = "power_mean_w", .rank = 4},
        [](const T& trace) -> Cell { return trace.summary.mean_power_w(); }},
       {{.name = "static_met_pct", .rank = 3}, met_cell<&S::constant>},
       {{.name = "static_regret_pct", .rank = 3},
        [](const T& trace) -> Cell { return 100 * trace.summary.constant.regret(); }},
       {{.name = "profiled", .rank = 5}, at<&T::profiled>}},
      traces);
}

}  // namespace

Result arrivals_result(const answer::ArrivalsAnswer& found) {
  Result result{arrivals_table(found.traces)};
  result.data = with_origin(result.table, {found.origin});
  result.json = result.table.to_json();
  result.notes = ground_notes(found.grounds);
  result.notes.push_back("idle power: " + found.idle_source);
  if (found.random_times) {
    result.notes.push_back(
        "the latency limit holds for the times of the sweeps; --jitter makes the times random");
  }
  return result;
}

}  // namespace ridgewatt::report
