// Trials over models, boards and seeds.
#include <fmt/format.h>

#include "ridgewatt/evaluate/in_place_scores.h"
#include "ridgewatt/workload/deployed_workload.h"

namespace ridgewatt::evaluate {
namespace {

// The tested disturbances: another process and a thermal step with the required sizes, and smaller
// ones that show the limit of detection.
std::vector<platform::FakeDisturbance> tried_disturbances() {
  std::vector<platform::FakeDisturbance> all;
  const auto add = [&](double time, double power, double celsius, const char* process) {
    platform::FakeDisturbance one;
    one.time = time;
    one.power = power;
    one.celsius = celsius;
    one.process = process;
    all.push_back(one);
  };
  add(1.25, 1.08, 0, "4242 other.py");
  add(1.1, 1.03, 0, "4242 other.py");
  add(1, 1.1, 25, "");
  add(1, 1.06, 15, "");
  add(1.15, 1, 0, "");
  return all;
}

}  // namespace

InPlaceScores score_in_place(const InPlaceSeries& series) {
  InPlaceScores scores;
  std::size_t done = 0;
  for (const auto& board : series.boards) {
    for (const auto& model : series.models) {
      InPlaceSetting setting;
      setting.board = board;
      setting.model = model;
      setting.cost = *workload::DeployedWorkload(model, {.kind = series.kind})
                          .at(static_cast<int>(series.batch));
      setting.profiles = series.profiles;
      for (int i = 0; i < series.trials; ++i) {
        const std::string what = fmt::format("{} on {}", model, board);
        if (series.progress) series.progress(done++, what);
        const auto seed = static_cast<std::uint64_t>(series.first_seed + i);
        if (series.drift) {
          for (auto& trial : drift_trials(setting, seed, tried_disturbances())) {
            scores.drifts[trial.disturbance].push_back(trial);
          }
          continue;
        }
        for (auto& trial : in_place_trials(setting, seed)) {
          scores.answers[series.per_model ? what + ": " + trial.goal : trial.goal].push_back(trial);
        }
      }
    }
  }
  return scores;
}

}  // namespace ridgewatt::evaluate
