// Scores of tuning a program while it runs, compared with a restart for every profile: quality of
// the answer, duration of the search, violations of the power limit, and detection of drift. Trials
// use fake boards (platform/fake_load.h) in simulated time; each trial perturbs the twin by its
// seed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "ridgewatt/base/workload_kind.h"
#include "ridgewatt/measure/in_place.h"
#include "ridgewatt/platform/fake_disturbance.h"
#include "ridgewatt/tune/in_place_search.h"
#include "ridgewatt/workload/workload_cost.h"

namespace ridgewatt::evaluate {

struct InPlaceSetting {
  std::string board = "agx-orin";  // name or board file
  std::string model;               // label for the table
  workload::WorkloadCost cost;
  int profiles = 15;
  measure::InPlaceOptions in_place;  // each trial sets its power limit
  tune::SafeSetOptions safe;
};

// The same search in place and with restarts. With restarts, each profile follows the protocol of
// `profile`: 2 s of idle baseline, 5 s until the power is steady, then 1 + 40 minibatches. Starting
// the program takes no time.
struct InPlaceTrial {
  std::string goal;    // "time under 20.0 W"
  double penalty = 0;  // true objective of the answer / that of the optimum - 1
  double restart_penalty = 0;
  bool valid = false;  // whether the true cost of the answer meets the limit within 1 %
  bool restart_valid = false;
  double search_s = 0, restart_search_s = 0;
  int windows = 0, references = 0, over_limit = 0, minibatches = 0;
  double over_limit_s = 0, longest_over_limit_s = 0, worst_excess = 0;
  double time_effect_s = 0, power_effect_s = 0;  // median delays; 0: no change was observed
  int drifts = 0;                                // false reports of drift
};
// Runs trials for least time within a power limit at a quarter, half and three quarters of the
// power range, and for least energy without a limit. The board is warm from the start.
std::vector<InPlaceTrial> in_place_trials(const InPlaceSetting& setting, std::uint64_t seed);

struct DriftTrial {
  std::string disturbance;    // "none", "another process", "5 % more power", ..
  double begin_s = 0;         // start of the disturbance
  int windows = 0;            // number of windows of the search
  bool alarm_before = false;  // reported drift before the disturbance
  // Number of windows that ended after the start of the disturbance, up to and including the first
  // report. 0: not reported.
  int noticed_after = 0;
  std::string cause;
  double penalty = 0;  // of the answer, in the conditions at the end
  int renewed = 0;     // windows that replaced outdated measurements
};
// Runs a search with a power limit at half of the power range, without a disturbance and then with
// each of `disturbances`. The disturbance starts at a random time, at least five windows before the
// end. The board is cold at first and warms up.
std::vector<DriftTrial> drift_trials(const InPlaceSetting& setting, std::uint64_t seed,
                                     const std::vector<platform::FakeDisturbance>& disturbances);
// A trial for each model, board and seed.
struct InPlaceSeries {
  std::vector<std::string> models = {"zoo:mobilenet_v2"}, boards = {"orin-nano-8gb"};
  std::int64_t batch = 4;
  WorkloadKind kind = WorkloadKind::kInference;
  int trials = 10, first_seed = 1, profiles = 15;  // seeds are first_seed, first_seed + 1, ..
  bool drift = false;      // run drift_trials() instead of in_place_trials()
  bool per_model = false;  // group results by model, board and goal instead of by goal
  std::function<void(std::size_t done, const std::string& what)> progress = {};

  std::size_t size() const {
    return models.size() * boards.size() * static_cast<std::size_t>(trials);
  }
};
struct InPlaceScores {
  std::map<std::string, std::vector<InPlaceTrial>> answers;  // by goal, or by model, board and goal
  std::map<std::string, std::vector<DriftTrial>> drifts;  // by disturbance; only if `drift` is set
};
InPlaceScores score_in_place(const InPlaceSeries& series);
// Returns "another process: time x 1.25, power x 1.08".
std::string describe_disturbance(const platform::FakeDisturbance& disturbance);

}  // namespace ridgewatt::evaluate
