// Which model a question is about, and how it is run: what `estimate`, `roofline` and `tune` share.
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
  std::optional<workload::Precision> precision =
      {};  // absent: FP32; with all_runtimes the usual precisions of each
  Runtime runtime = Runtime::kPytorchEager;
  bool all_runtimes = false;  // compare all runtimes, if the question supports it
  workload::Optimizer optimizer = workload::Optimizer::kSgd;
  std::map<std::string, std::int64_t> dims = {};  // symbolic extents other than the batch

  workload::DeployOptions deploy() const;
  // Throws the errors of reading the model.
  std::shared_ptr<const workload::DeployedWorkload> load() const;
};

}  // namespace ridgewatt::answer

#pragma GCC visibility pop
