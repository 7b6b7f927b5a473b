// Which method of choosing a power mode pays off for a job: profiling costs time once, a worse mode
// costs time in every training. The scenarios are those of PowerTrain (Prashanthi et al. 2024,
// table 1).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace ridgewatt::predict {

// The trainings of a board.
struct TrainingScenario {
  std::string name;
  double training_s = 0;  // one training in the best mode
  int trainings = 1;
  int workloads = 1;  // over which they are distributed; each is profiled once
};
// One long training, one fine-tuning, continuous learning of one model, federated learning of many:
// studies/published/training_scenarios.csv.
std::vector<TrainingScenario> training_scenarios();

// A method with its requirements and the cost of its choice.
struct ChoiceMethod {
  std::string name;
  std::size_t modes = 0;  // profiled for each workload; 0: every mode of the board
  // Probability with which answers stay within their budget; 0.5: by the predicted means.
  double confidence = 0.5;
  // Median time relative to the optimum within power budgets, less 1: mean of the three workloads.
  double penalty = 0;
  // Share of answers more than 1 W over their budget, for the worst workload.
  double over_budget = 0;
  double fit_s = 0;
};
// Methods with a larger share do not meet their budgets.
inline constexpr double kMostOverBudget = 0.05;
// Penalties and shares on the three training sweeps of the AGX Orin, from
// studies/published/choice_methods.csv, which contains the commands that print them. Every method
// learns from modes that `auto` chose for the budgets; the reference of PowerTrain is profiled
// before.
std::vector<ChoiceMethod> choice_methods();

struct ProfilingCost {
  std::size_t board_modes = 0;
  double minibatch_s = 0;    // mean over the profiled modes
  int minibatches = 40;      // measured per mode
  double mode_change_s = 5;  // to change the mode and let it settle
};

struct MethodCost {
  ChoiceMethod method;
  double profiling_s = 0;  // of all workloads, including fitting
  double lost_s = 0;       // of all trainings, because of a mode that is not the best
  double total_s() const { return profiling_s + lost_s; }
};

// All methods for a scenario: those that meet their budgets first, of these the cheapest. Throws
// UsageError if a cost is not positive.
std::vector<MethodCost> compare_methods(const TrainingScenario& scenario,
                                        const ProfilingCost& profiling);

}  // namespace ridgewatt::predict
