#include "ridgewatt/evaluate/score_tables.h"

namespace ridgewatt::evaluate {

Table reference_score_table(const std::vector<ReferenceScore>& scores) {
  Table table({{"reference"},
               {"workload"},
               {"method"},
               {"modes"},
               {.name = "runs", .rank = 1},
               {.name = "time_mape_pct", .digits = 3},
               {.name = "power_mape_pct", .digits = 3},
               {.name = "penalty_pct", .digits = 3},
               {.name = "over_by_1w_pct", .digits = 3}});
  for (const auto& s : scores) {
    table.add_row({s.reference, s.workload, s.method, std::int64_t{s.modes}, std::int64_t{s.runs},
                   report::known_cell(s.time_mape_pct), report::known_cell(s.power_mape_pct),
                   report::known_cell(s.penalty_pct), report::known_cell(s.over_by_1w_pct)});
  }
  return table;
}

}  // namespace ridgewatt::evaluate
