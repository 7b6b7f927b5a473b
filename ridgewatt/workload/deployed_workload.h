// A model as a runtime executes it, with its cost at any batch: the input of twins, tuners,
// pipelines and predictors.
//
//   const auto workload = std::make_shared<const DeployedWorkload>(
//       "zoo:resnet50", DeployOptions{.precision = Precision::kFp16});
//   std::shared_ptr<const WorkloadCost> cost = workload->at(16);
//
// PyTorch eager runs one operator at a time, unfused; operators that an exporter expanded are
// combined again.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "ridgewatt/workload/precision.h"
#include "ridgewatt/workload/workload_cost.h"

#pragma GCC visibility push(default)

namespace ridgewatt::workload {

struct DeployOptions {
  WorkloadKind kind = WorkloadKind::kInference;
  Precision precision = Precision::kFp32;
  Optimizer optimizer = Optimizer::kSgd;
  std::map<std::string, std::int64_t> dims = {};  // symbolic extents other than the batch
  Runtime runtime = Runtime::kPytorchEager;
};

// All functions are safe to call from several threads.
class DeployedWorkload {
 public:
  // A file or zoo:NAME. Throws the errors of load_workload immediately.
  explicit DeployedWorkload(const std::string& model, DeployOptions options = {});
  // Known costs by batch; other batches are an error.
  explicit DeployedWorkload(std::map<int, std::shared_ptr<const WorkloadCost>> costs);
  // The same model under other options; it is loaded once.
  DeployedWorkload with(DeployOptions options) const;

  // The cost of one minibatch, computed once per batch; a batch of 0 means 1. Throws UsageError if
  // it is not available.
  std::shared_ptr<const WorkloadCost> at(int batch) const;
  // Pixels per side of the model's input images; throws UsageError if it has no images.
  double image_side() const;
  const std::string& name() const { return name_; }  // as given
  const DeployOptions& options() const { return options_; }

 private:
  struct Loaded;
  DeployedWorkload(std::string name, std::shared_ptr<Loaded> loaded, DeployOptions options);

  std::string name_;
  DeployOptions options_;
  std::shared_ptr<Loaded> loaded_;  // null: only `costs_` are known
  mutable std::mutex mutex_;
  mutable std::map<int, std::shared_ptr<const WorkloadCost>> costs_;
};

// The cost of the same convolutional network on images of another size: everything except the
// parameters' part scales with `area_ratio` = (new side / old side)^2.
WorkloadCost scale_image(const WorkloadCost& cost, double area_ratio);

}  // namespace ridgewatt::workload

#pragma GCC visibility pop
