// The runtimes and precisions that `--runtime all` compares.
//
//   for (const RuntimeChoice& choice : runtime_choices()) {
//     const auto deployed = deployed_as(*workload, choice);  // for an estimate on a twin
//   }
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ridgewatt/device/runtime.h"
#include "ridgewatt/workload/deployed_workload.h"

namespace ridgewatt::answer {

struct RuntimeChoice {
  Runtime runtime = Runtime::kPytorchEager;
  workload::Precision precision = workload::Precision::kFp32;

  std::string name() const;  // "tensorrt int8"
};

// Returns every runtime for this kind of board (with or without a GPU) in each of `precisions`.
// If `precisions` is empty: FP32 for PyTorch, FP32 and FP16 for exported graphs, and FP32, FP16 and
// INT8 for engines.
std::vector<RuntimeChoice> runtime_choices(const std::vector<workload::Precision>& precisions = {},
                                           bool has_gpu = true);

// Returns a wider precision that should not be faster than `precision`; `precision` itself if there
// is none.
workload::Precision wider_than(workload::Precision precision);

// Returns the workload deployed in the runtime and precision of `choice`.
std::shared_ptr<const workload::DeployedWorkload> deployed_as(
    const workload::DeployedWorkload& workload, const RuntimeChoice& choice);

}  // namespace ridgewatt::answer
