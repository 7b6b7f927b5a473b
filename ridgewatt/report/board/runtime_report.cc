// Runtimes compared with public measurements, as tables.
#include <cmath>

#include "ridgewatt/base/statistics.h"
#include "ridgewatt/report/calibrate_report.h"

namespace ridgewatt::report {
Table runtime_parameter_table(const twin::RuntimeTwins& runtimes) {
  Table table({{"runtime"},
               {"parameter"},
               {"value"},
               {"lo", "from"},
               {"hi", "to"},
               {"prior"},
               {"from", "by"},
               {.name = "meaning", .rank = 1, .wrap = true}});
  for (const auto& runtime : runtimes) {
    if (!runtime.fitted()) continue;
    for (const auto& spec : twin::runtime_parameters()) {
      const auto i = static_cast<std::size_t>(spec.param);
      const double width = std::exp(kNormal95 * runtime.log_sd[i]);
      const double prior = spec.prior[static_cast<std::size_t>(runtime.runtime)];
      table.add_row({std::string(name_of(runtime.runtime)), std::string(spec.key),
                     runtime.values[i], runtime.values[i] / width, runtime.values[i] * width, prior,
                     std::string(runtime.log_sd[i] < 0.9 * spec.prior_log_sd ? "fitted" : "prior"),
                     std::string(spec.meaning)});
    }
  }
  return table;
}

Table runtime_left_out_table(const std::vector<twin::LeftOutRow>& rows) {
  Table table({{.name = "row", .wrap = true}, {.name = "left_out_because", .wrap = true}});
  for (const auto& row : rows) table.add_row({row.label, row.reason});
  return table;
}

}  // namespace ridgewatt::report
