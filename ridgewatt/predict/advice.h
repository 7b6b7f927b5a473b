// Which way of choosing a power mode pays for a job: profiling takes time once, a worse mode takes
// time in every training. The scenarios are PowerTrain's (Prashanthi et al. 2024, table 1).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace ridgewatt {

// What the trainings of a board are like.
struct TrainingScenario {
  std::string name;
  double training_s = 0;  // one training in the best mode
  int trainings = 1;
  int workloads = 1;  // that they are spread over; each is profiled once
};
// One long training, one fine-tuning, continuous learning of one model, federated learning of many.
std::vector<TrainingScenario> training_scenarios();

// A method with what it needs and what its choice costs.
struct ChoiceMethod {
  std::string name;
  std::size_t modes = 0;   // profiled for each workload; 0: every mode of the board
  double penalty = 0;      // median time over the optimum's within budgets of power, less 1
  double over_budget = 0;  // share of answers more than 1 W over their budget
  double fit_s = 0;
};
// Penalties and shares by the predicted means on the MobileNetV3 training sweep of the AGX Orin,
// the workload for which PowerTrain's (its reference profiled before) are published; ours by
//   evaluate predictors --sweep mobilenet_v3.csv --sampling budgets --sizes 10,20,50   (auto)
//   evaluate predictors --sweep mobilenet_v3.csv --methods linear,trees --sizes 20,50
std::span<const ChoiceMethod> choice_methods();

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

// All methods for a scenario, the cheapest first. UsageError when a cost is not positive.
std::vector<MethodCost> compare_methods(const TrainingScenario& scenario,
                                        const ProfilingCost& profiling);

}  // namespace ridgewatt
