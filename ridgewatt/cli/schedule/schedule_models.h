// Models in place of sweeps: what they cost in a board's modes comes from its twin, so that a plan
// needs no profiling.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/cli/command.h"
#include "ridgewatt/schedule/plan.h"
#include "ridgewatt/workload/deployed_workload.h"

namespace ridgewatt::cli {

// Where none are asked for: the batch that the file fixes; else 16 for training, and for inference
// 1 to 32.
std::vector<int> batches_to_schedule(const workload::DeployedWorkload& model);

struct ScheduleModels {
  std::string inference;
  std::vector<std::string> training;
  std::string device;
  std::string modes = "all";
  std::vector<int> inference_batches;  // none: batches_to_schedule()
  int training_batch = 0;              // 0: the same
  Runtime inference_runtime = Runtime::kPytorchEager;
  workload::Precision inference_precision = workload::Precision::kFp32;
  workload::Precision training_precision = workload::Precision::kFp32;

  bool empty() const { return inference.empty() && training.empty(); }
  void add_to(CLI::App& command);
  // UsageError for what has no effect without a model, and for a model beside a sweep.
  void check(const CLI::App& command) const;
  // Adds their sweeps to `workloads`. Throws what estimate_sweep throws.
  void add_sweeps(const Context& context, schedule::ScheduleWorkloads& workloads) const;
};

}  // namespace ridgewatt::cli
