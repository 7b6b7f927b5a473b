// Compares the total cost of methods for choosing a power mode: profiling costs time once, and a
// worse mode costs time in every training. The scenarios are those of PowerTrain (Prashanthi et al.
// 2024, table 1).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace ridgewatt::predict {

// A number of trainings on one board.
struct TrainingScenario {
  std::string name;
  double training_s = 0;  // duration of one training in the best mode
  int trainings = 1;
  int workloads = 1;  // number of different workloads among the trainings; each is profiled once
};
// The scenarios in studies/published/training_scenarios.csv: one long training, one fine-tuning,
// continuous learning of one model, federated learning of many models.
std::vector<TrainingScenario> training_scenarios();

// A method with its number of profiles and the quality of its choice.
struct ChoiceMethod {
  std::string name;
  std::size_t modes = 0;         // profiled modes per workload; 0 for a preset
  bool every_mode = false;       // every mode of the board is profiled, in place of `modes`
  bool every_reference = false;  // a reference workload is profiled once in every mode
  // Probability that an answer stays within its budget; 0.5: the predicted means are used.
  double confidence = 0.5;
  // Time of an answer divided by that of the optimum within the power budget, minus 1: median over
  // answers, mean of three workloads.
  double penalty = 0;
  // Share of answers that exceed their budget by more than 1 W, for the worst workload.
  double over_budget = 0;
  double fit_s = 0;
};
// A method with a larger `over_budget` does not meet its budgets.
inline constexpr double kMostOverBudget = 0.05;
// The methods in studies/published/choice_methods.csv, with penalties and shares from the three
// training sweeps of the AGX Orin; the file contains the commands that print them. Each method with
// profiles learns from the modes that `auto` chose for the budgets.
std::vector<ChoiceMethod> choice_methods();

struct ProfilingCost {
  std::size_t board_modes = 0;
  double minibatch_s = 0;    // mean over the profiled modes
  int minibatches = 40;      // number of measured minibatches per mode
  double mode_change_s = 5;  // time until the new mode is steady
};

struct MethodCost {
  ChoiceMethod method;
  double profiling_s = 0;  // for all workloads, including fitting and the reference
  double lost_s = 0;       // in all trainings, relative to the best mode
  double total_s() const { return profiling_s + lost_s; }
};

// The cost of every method in a scenario: methods that meet their budgets first, then by total
// cost. Throws UsageError if a cost is not positive.
std::vector<MethodCost> compare_methods(const TrainingScenario& scenario,
                                        const ProfilingCost& profiling);

}  // namespace ridgewatt::predict
