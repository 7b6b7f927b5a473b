#include "ridgewatt/predict/advice.h"

#include <algorithm>
#include <array>
#include <utility>

#include "ridgewatt/base/error.h"

namespace ridgewatt {

std::vector<TrainingScenario> training_scenarios() {
  constexpr double kHour = 3600;
  return {{"one long training", 24 * kHour, 1, 1},
          {"fine-tuning", 0.5 * kHour, 1, 1},
          {"continuous learning", 1 * kHour, 50, 1},
          {"federated learning", 0.5 * kHour, 50, 50}};
}

std::span<const ChoiceMethod> choice_methods() {
  static const std::array<ChoiceMethod, 10> methods = {{
      {"auto", 10, 0.5, (0.056 + 0.007 + 0.0) / 3, 0.12, 1},
      {"auto", 20, 0.5, (0.043 + 0.009 + 0.0) / 3, 0.13, 1},
      {"auto", 50, 0.5, (0.035 + 0.002 + 0.0) / 3, 0.091, 1},
      {"auto", 10, 0.95, (0.108 + 0.034 + 0.0) / 3, 0.0, 1},
      {"auto", 20, 0.95, (0.083 + 0.028 + 0.0) / 3, 0.0, 1},
      {"auto", 50, 0.95, (0.043 + 0.005 + 0.004) / 3, 0.0, 1},
      {"trees", 20, 0.5, (0.077 + 0.019 + 0.0) / 3, 0.37, 1},
      {"linear", 20, 0.5, (1.52 + 2.5 + 0.15) / 3, 0.015, 0},
      {"powertrain", 20, 0.5, (0.053 + 0.002 + 0.0) / 3, 0.44, 5},
      {"every mode", 0, 0.5, 0, 0, 0},
  }};
  return methods;
}

std::vector<MethodCost> compare_methods(const TrainingScenario& scenario,
                                        const ProfilingCost& profiling) {
  const bool positive = scenario.training_s > 0 && scenario.trainings > 0 &&
                        scenario.workloads > 0 && profiling.board_modes > 0 &&
                        profiling.minibatch_s > 0 && profiling.minibatches > 0 &&
                        profiling.mode_change_s >= 0;
  if (!positive) throw UsageError("times and counts of a job are positive");
  const double mode_s = profiling.minibatches * profiling.minibatch_s + profiling.mode_change_s;
  std::vector<MethodCost> result;
  for (const auto& method : choice_methods()) {
    if (method.modes > profiling.board_modes) continue;
    const std::size_t modes = method.modes == 0 ? profiling.board_modes : method.modes;
    const double once_s = static_cast<double>(modes) * mode_s + method.fit_s;
    result.push_back({method, scenario.workloads * once_s,
                      scenario.trainings * scenario.training_s * method.penalty});
  }
  std::stable_sort(result.begin(), result.end(), [](const MethodCost& a, const MethodCost& b) {
    const auto rank = [](const MethodCost& cost) {
      return std::pair(cost.method.over_budget > kMostOverBudget, cost.total_s());
    };
    return rank(a) < rank(b);
  });
  return result;
}

}  // namespace ridgewatt
