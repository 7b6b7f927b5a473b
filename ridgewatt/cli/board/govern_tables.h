// What a governor did, live or in a simulated day: its result in a row, its steps in a table.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/govern/day.h"
#include "ridgewatt/govern/live.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/report/table.h"
#include "ridgewatt/sweep/provenance.h"

namespace ridgewatt::cli {

// Of a whole run, whoever played it.
struct GovernResult {
  govern::Goal goal;
  std::string device, workload, how;  // how it ended
  Provenance provenance = Provenance::kModelled;
  double end_s = 0, minibatches = 0, energy_j = 0;
  double late_share = 0, over_share = 0;
  std::size_t switches = 0, trials = 0;
  std::size_t modes = 0;  // chosen among
};

// Within govern::tolerance().
bool goal_held(const GovernResult& result);
report::Table govern_table(const GovernResult& result);
Json govern_to_json(const GovernResult& result);

// A line per step: the same columns live and simulated.
struct GovernStepRow {
  double begin_s = 0;
  PowerMode mode;  // meaningless while `resting`
  bool resting = false;
  govern::Decision decision;
  govern::Window seen;
  double minibatches = 0, energy_j = 0;  // until its end
};
report::Table govern_steps_table(const std::vector<GovernStepRow>& steps);

}  // namespace ridgewatt::cli
