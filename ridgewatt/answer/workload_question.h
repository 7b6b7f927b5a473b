// The model of a question and how it is run; shared by `estimate`, `roofline` and `tune`.
//
//   WorkloadQuestion asked{.model = "zoo:resnet50", .runtime = Runtime::kTensorRt};
//   const auto workload = asked.load();
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "ridgewatt/workload/deployed_workload.h"

#pragma GCC visibility push(default)

namespace ridgewatt::answer {

struct WorkloadQuestion {
  std::string model = {};  // ONNX file or zoo:NAME
  WorkloadKind kind = WorkloadKind::kInference;
  // Absent: FP32; with `all_runtimes`, the usual precisions of each runtime.
  std::optional<workload::Precision> precision = {};
  Runtime runtime = Runtime::kPytorchEager;
  bool all_runtimes = false;  // compares all runtimes, if the question supports it
  workload::Optimizer optimizer = workload::Optimizer::kSgd;
  // Sizes of symbolic dimensions other than the batch.
  std::map<std::string, std::int64_t> dims = {};

  workload::DeployOptions deploy() const;
  // Reads the model. Throws the errors of reading it.
  std::shared_ptr<const workload::DeployedWorkload> load() const;
};

}  // namespace ridgewatt::answer

#pragma GCC visibility pop
