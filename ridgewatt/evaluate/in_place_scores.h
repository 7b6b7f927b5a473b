// Scores of tuning a running program in place, compared with a restart for every profile: the
// answer, the time of the search, the power limit, and the detection of drift. On fake boards
// (platform/fake_load.h) in simulated time; each trial has a twin perturbed by its seed.
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
  std::string board = "agx-orin";  // a board file
  std::string model;               // name for the table
  workload::WorkloadCost cost;
  int profiles = 15;
  measure::InPlaceOptions in_place;  // except for the limit
  tune::SafeSetOptions safe;
};

// The same search twice: in place, and with a restart for every profile by the protocol of
// `profile` (2 s of idle baseline, 5 s until power is steady, 1 + 40 minibatches; the start of the
// program takes no time).
struct InPlaceTrial {
  std::string goal;    // "time under 20.0 W"
  double penalty = 0;  // true objective of the answer over that of the optimum
  double restart_penalty = 0;
  bool valid = false;  // the answer truly meets the limit, within 1 %
  bool restart_valid = false;
  double search_s = 0, restart_search_s = 0;
  int windows = 0, references = 0, over_limit = 0, minibatches = 0;
  double over_limit_s = 0, longest_over_limit_s = 0, worst_excess = 0;
  double time_effect_s = 0, power_effect_s = 0;  // medians; 0: none was observed
  int drifts = 0;                                // reported although nothing drifted
};
// Time under power limits at a quarter, a half and three quarters of the power range, and energy
// without a limit. The board is warm.
std::vector<InPlaceTrial> in_place_trials(const InPlaceSetting& setting, std::uint64_t seed);

struct DriftTrial {
  std::string disturbance;  // "none", "another process", "5 % more power", ..
  double begin_s = 0;       // of the disturbance
  int windows = 0;          // of the search
  bool alarm_before = false;
  // windows that ended after the start of the disturbance, including that of the alarm; 0: never
  int noticed_after = 0;
  std::string cause;
  double penalty = 0;  // of the answer under the conditions at the end
  int renewed = 0;
};
// A search at half of the power range without a disturbance, and one for each of `disturbances`,
// which starts at a random time at least five windows before the end. The board is cold at first
// and warms up, as in use.
std::vector<DriftTrial> drift_trials(const InPlaceSetting& setting, std::uint64_t seed,
                                     const std::vector<platform::FakeDisturbance>& disturbances);
// Every model on every board, with seeds from `first_seed` on.
struct InPlaceSeries {
  std::vector<std::string> models = {"zoo:mobilenet_v2"}, boards = {"orin-nano-8gb"};
  std::int64_t batch = 4;
  WorkloadKind kind = WorkloadKind::kInference;
  int trials = 10, first_seed = 1, profiles = 15;
  bool drift = false;      // disturb the searches, and score what is noticed
  bool per_model = false;  // keys name model, board and goal, not the goal alone
  std::function<void(std::size_t done, const std::string& what)> progress = {};

  std::size_t size() const {
    return models.size() * boards.size() * static_cast<std::size_t>(trials);
  }
};
struct InPlaceScores {
  std::map<std::string, std::vector<InPlaceTrial>> answers;
  std::map<std::string, std::vector<DriftTrial>> drifts;  // of `drift`, by disturbance
};
InPlaceScores score_in_place(const InPlaceSeries& series);
// "another process: time x 1.25, power x 1.08"
std::string describe_disturbance(const platform::FakeDisturbance& disturbance);

}  // namespace ridgewatt::evaluate
