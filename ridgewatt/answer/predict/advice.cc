#include "ridgewatt/answer/presets.h"

#include <utility>

namespace ridgewatt::answer {

std::vector<ScenarioCost> advise(const std::vector<predict::TrainingScenario>& scenarios,
                                 const predict::ProfilingCost& profiling) {
  std::vector<ScenarioCost> rows;
  for (const auto& scenario : scenarios) {
    for (auto& cost : predict::compare_methods(scenario, profiling)) {
      if (cost.method.every_mode) cost.method.modes = profiling.board_modes;
      rows.push_back({scenario.name, std::move(cost)});
    }
  }
  return rows;
}

}  // namespace ridgewatt::answer
