// Which way of choosing a power mode pays for a job: profiling takes time once, a worse mode takes
// time in every training. The scenarios are PowerTrain's (Prashanthi et al. 2024, table 1).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace ridgewatt::predict {

// What the trainings of a board are like.
struct TrainingScenario {
  std::string name;
  double training_s = 0;  // one training in the best mode
  int trainings = 1;
  int workloads = 1;  // that they are spread over; each is profiled once
};
// One long training, one fine-tuning, continuous learning of one model, federated learning of many:
// studies/published/training_scenarios.csv.
std::vector<TrainingScenario> training_scenarios();

// A method with what it needs and what its choice costs.
struct ChoiceMethod {
  std::string name;
  std::size_t modes = 0;  // profiled for each workload; 0: every mode of the board
  // Probability with which answers are to keep their budget; 0.5: by the predicted means.
  double confidence = 0.5;
  // Median time over the optimum's within budgets of power, less 1: mean of the three workloads.
  double penalty = 0;
  // Share of answers more than 1 W over their budget, on the workload where it is largest.
  double over_budget = 0;
  double fit_s = 0;
};
// Answers that are over budget more often do not keep it.
inline constexpr double kMostOverBudget = 0.05;
// Penalties and shares on the three training sweeps of the AGX Orin, as
// studies/published/choice_methods.csv holds them with the commands that print them. Every method
// learns from modes that `auto` chose for the budgets; PowerTrain's reference is profiled before.
std::vector<ChoiceMethod> choice_methods();

struct ProfilingCost {
  std::size_t board_modes = 0;
  double minibatch_s = 0;    // mean over the profiled modes
  int minibatches = 40;      // measured in each mode
  double mode_change_s = 5;  // to change the mode and let it settle
};

struct MethodCost {
  ChoiceMethod method;
  double profiling_s = 0;  // of all workloads, with fitting
  double lost_s = 0;       // of all trainings, by a mode that is not the best
  double total_s() const { return profiling_s + lost_s; }
};

// All methods for a scenario: those that keep their budgets first, of these the cheapest.
// UsageError when a cost is not positive.
std::vector<MethodCost> compare_methods(const TrainingScenario& scenario,
                                        const ProfilingCost& profiling);

}  // namespace ridgewatt::predict
