#include <algorithm>

#include "ridgewatt/base/statistics.h"
#include "ridgewatt/evaluate/score_tables.h"

namespace ridgewatt::evaluate {
namespace {

using report::Cell;

double share_of(std::size_t count, std::size_t all) {
  return all > 0 ? 100.0 * static_cast<double>(count) / static_cast<double>(all) : 0;
}

std::vector<Cell> in_place_row(const std::string& name, const std::vector<InPlaceTrial>& trials) {
  const auto mean_of = [&](auto field) {
    double sum = 0;
    for (const auto& one : trials) sum += static_cast<double>(one.*field);
    return sum / static_cast<double>(trials.size());
  };
  const auto most_of = [&](auto value) {
    double most = 0;
    for (const auto& one : trials) most = std::max<double>(most, value(one));
    return most;
  };
  using Trial = InPlaceTrial;
  const double over_s = mean_of(&Trial::over_limit_s), search_s = mean_of(&Trial::search_s);
  return {name,
          static_cast<std::int64_t>(trials.size()),
          100 * mean_of(&Trial::penalty),
          100 * mean_of(&Trial::restart_penalty),
          100 * mean_of(&Trial::valid),
          100 * mean_of(&Trial::restart_valid),
          search_s,
          mean_of(&Trial::restart_search_s),
          mean_of(&Trial::windows),
          mean_of(&Trial::minibatches),
          mean_of(&Trial::over_limit),
          100 * over_s / search_s,
          100 * most_of([](const Trial& one) { return one.over_limit_s / one.search_s; }),
          100 * most_of([](const Trial& one) { return one.worst_excess; }),
          1e3 * most_of([](const Trial& one) { return one.longest_over_limit_s; }),
          1e3 * mean_of(&Trial::time_effect_s),
          1e3 * mean_of(&Trial::power_effect_s),
          mean_of(&Trial::drifts) * static_cast<double>(trials.size())};
}

}  // namespace

Table in_place_table(const std::map<std::string, std::vector<InPlaceTrial>>& groups) {
  Table table(
      {{"goal"},
       {"trials"},
       {.name = "penalty_pct", .heading = "penalty (%)", .digits = 3},
       {.name = "restart_penalty_pct", .heading = "with restarts (%)", .digits = 3},
       {.name = "valid_pct", .heading = "valid (%)", .digits = 3},
       {.name = "restart_valid_pct", .heading = "with restarts (%)", .digits = 3},
       {.name = "search_s", .heading = "search (s)", .digits = 3},
       {.name = "restart_search_s", .heading = "with restarts (s)", .digits = 4},
       {.name = "windows", .digits = 3},
       {.name = "minibatches", .digits = 4, .rank = 1},
       {.name = "left_modes", .heading = "modes left", .digits = 2, .rank = 1},
       {.name = "over_pct", .heading = "above the limit (% of time)", .digits = 2},
       {.name = "most_over_pct", .heading = "worst search (%)", .digits = 2},
       {.name = "worst_excess_pct", .heading = "by at most (%)", .digits = 2},
       {.name = "longest_over_ms", .heading = "longest (ms)", .digits = 3},
       {.name = "time_effect_ms", .heading = "pace changed after (ms)", .digits = 3, .rank = 1},
       {.name = "power_effect_ms", .heading = "power after (ms)", .digits = 3, .rank = 1},
       {.name = "drifts", .heading = "false drift", .rank = 1}});
  for (const auto& [goal, trials] : groups) table.add_row(in_place_row(goal, trials));
  return table;
}

Table drift_score_table(const std::map<std::string, std::vector<DriftTrial>>& groups) {
  Table table({{"disturbance"},
               {"trials"},
               {.name = "noticed_pct", .heading = "noticed within 5 windows (%)", .digits = 3},
               {.name = "cause_pct", .heading = "cause named (%)", .digits = 3},
               {.name = "median_windows", .heading = "windows (median)", .digits = 2},
               {.name = "false_pct", .heading = "false alarms (%)", .digits = 3},
               {.name = "penalty_pct", .heading = "penalty (%)", .digits = 3},
               {.name = "windows", .digits = 3, .rank = 1},
               {.name = "renewed", .digits = 2, .rank = 1}});
  for (const auto& [name, trials] : groups) {
    std::size_t noticed = 0, named = 0, alarms = 0;
    std::vector<double> after;
    double penalty = 0, windows = 0, renewed = 0;
    for (const auto& one : trials) {
      if (one.noticed_after > 0 && one.noticed_after <= 5) ++noticed;
      if (one.noticed_after > 0) after.push_back(one.noticed_after);
      if (one.noticed_after > 0 && one.cause != "unknown") ++named;
      alarms += one.alarm_before ? 1 : 0;
      penalty += one.penalty, windows += one.windows, renewed += one.renewed;
    }
    const auto count = static_cast<double>(trials.size());
    const bool none = name == "none";
    table.add_row({name, static_cast<std::int64_t>(trials.size()),
                   none ? Cell() : Cell(share_of(noticed, trials.size())),
                   none ? Cell() : Cell(share_of(named, trials.size())),
                   after.empty() ? Cell() : Cell(median(after)), share_of(alarms, trials.size()),
                   100 * penalty / count, windows / count, renewed / count});
  }
  return table;
}

}  // namespace ridgewatt::evaluate
