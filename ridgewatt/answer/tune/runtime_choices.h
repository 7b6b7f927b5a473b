// The runtimes, each in the precisions in which it is used, that `--runtime all` compares.
//
//   for (const RuntimeChoice& choice : runtime_choices()) {
//     const auto deployed = deployed_as(*workload, choice);  // on a twin: what it costs
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

// Every runtime that runs on the board's kind (with a GPU, or a processor alone) in `precisions`;
// where none are given, in those that it is used in: PyTorch in FP32, exported graphs also in FP16,
// engines also in INT8.
std::vector<RuntimeChoice> runtime_choices(const std::vector<workload::Precision>& precisions = {},
                                           bool has_gpu = true);

// The precision that another one should not be slower than; the same: there is none.
workload::Precision wider_than(workload::Precision precision);

// The workload as `choice` runs it.
std::shared_ptr<const workload::DeployedWorkload> deployed_as(
    const workload::DeployedWorkload& workload, const RuntimeChoice& choice);

}  // namespace ridgewatt::answer
