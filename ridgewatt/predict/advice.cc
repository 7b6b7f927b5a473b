#include "ridgewatt/predict/advice.h"

#include <array>
#include <string_view>
#include <utility>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/sort.h"
#include "ridgewatt/io/published.h"

namespace ridgewatt::predict {
namespace {

constexpr std::string_view kEveryMode = "all";

}  // namespace

std::vector<TrainingScenario> training_scenarios() {
  CsvReader csv = open_published("training_scenarios.csv");
  const std::size_t name = csv.require_column("scenario"), hours = csv.require_column("training_h"),
                    trainings = csv.require_column("trainings"),
                    workloads = csv.require_column("workloads");
  std::vector<TrainingScenario> result;
  while (csv.next()) {
    result.push_back({std::string(csv.field(name)), 3600 * csv.number(hours),
                      static_cast<int>(csv.number(trainings)),
                      static_cast<int>(csv.number(workloads))});
  }
  return result;
}

std::vector<ChoiceMethod> choice_methods() {
  CsvReader csv = open_published("choice_methods.csv");
  const std::size_t name = csv.require_column("method"), modes = csv.require_column("modes"),
                    reference = csv.require_column("reference_modes"),
                    confidence = csv.require_column("confidence"),
                    over_budget = csv.require_column("over_budget"),
                    fit = csv.require_column("fit_s");
  const std::array penalties = {csv.require_column("resnet18_penalty"),
                                csv.require_column("mobilenet_v3_penalty"),
                                csv.require_column("yolov8n_penalty")};
  std::vector<ChoiceMethod> result;
  while (csv.next()) {
    double penalty = 0;
    for (const std::size_t workload : penalties) penalty += csv.number(workload);
    const bool every_mode = csv.field(modes) == kEveryMode;
    result.push_back({std::string(csv.field(name)),
                      every_mode ? 0 : static_cast<std::size_t>(csv.number(modes)), every_mode,
                      csv.field(reference) == kEveryMode, csv.number(confidence),
                      penalty / penalties.size(), csv.number(over_budget), csv.number(fit)});
  }
  return result;
}

std::vector<MethodCost> compare_methods(const TrainingScenario& scenario,
                                        const ProfilingCost& profiling) {
  const bool positive = scenario.training_s > 0 && scenario.trainings > 0 &&
                        scenario.workloads > 0 && profiling.board_modes > 0 &&
                        profiling.minibatch_s > 0 && profiling.minibatches > 0 &&
                        profiling.mode_change_s >= 0;
  if (!positive)
    throw UsageError("the minibatch time and the numbers of --advise must be positive");
  const double mode_s = profiling.minibatches * profiling.minibatch_s + profiling.mode_change_s;
  std::vector<MethodCost> result;
  for (auto& method : choice_methods()) {
    if (method.modes > profiling.board_modes) continue;
    const std::size_t modes = method.every_mode ? profiling.board_modes : method.modes;
    const double once_s = static_cast<double>(modes) * mode_s + method.fit_s;
    const double every_s = static_cast<double>(profiling.board_modes) * mode_s;
    const double lost_s = scenario.trainings * scenario.training_s * method.penalty;
    const double reference_s = method.every_reference ? every_s : 0;
    result.push_back({std::move(method), scenario.workloads * once_s + reference_s, lost_s});
  }
  sort_stably(result, [](const MethodCost& a, const MethodCost& b) {
    const auto rank = [](const MethodCost& cost) {
      return std::pair(cost.method.over_budget > kMostOverBudget, cost.total_s());
    };
    return rank(a) < rank(b);
  });
  return result;
}

}  // namespace ridgewatt::predict
