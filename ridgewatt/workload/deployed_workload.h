// A model as a runtime executes it, with its cost at any batch: the input of twins, tuners,
// pipelines and predictors.
//
//   const auto workload = std::make_shared<const DeployedWorkload>(
//       "zoo:resnet50", DeployOptions{.precision = Precision::kFp16});
//   std::shared_ptr<const WorkloadCost> cost = workload->at(16);
//
// PyTorch in eager mode runs one operator at a time, unfused. Operators that an exporter expanded
// are combined again.
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

// All const functions are safe to call from several threads.
class DeployedWorkload {
 public:
  // `model` is a file or zoo:NAME. Throws the errors of load_workload() immediately.
  explicit DeployedWorkload(const std::string& model, DeployOptions options = {});
  // Uses known costs by batch. Other batches are an error.
  explicit DeployedWorkload(std::map<int, std::shared_ptr<const WorkloadCost>> costs);
  // Returns the same model with other options. The loaded model is shared.
  DeployedWorkload with(DeployOptions options) const;

  // Returns the cost of one minibatch, computed once per batch. A batch of 0 means the default: the
  // batch that the model fixes or else 1, or the smallest known batch. Throws UsageError if only
  // other batches are known, NotSupportedError if the runtime does not support the kind or
  // precision, and the errors of workload_cost().
  std::shared_ptr<const WorkloadCost> at(int batch) const;
  // False if each run takes one sample: no axis of the model's inputs is the batch.
  bool has_batch() const;
  // Side of the model's input images in pixels. Throws UsageError if its input is not an image.
  double image_side() const;
  const std::string& name() const { return name_; }  // as passed to the constructor
  const DeployOptions& options() const { return options_; }

 private:
  struct Loaded;
  DeployedWorkload(std::string name, std::shared_ptr<Loaded> loaded, DeployOptions options);

  std::string name_;
  DeployOptions options_;
  std::shared_ptr<Loaded> loaded_;  // null: only the costs in `costs_` are known
  mutable std::mutex mutex_;
  mutable std::map<int, std::shared_ptr<const WorkloadCost>> costs_;
};

// Returns the cost of the same convolutional network on images of another size. Work, traffic,
// inputs and activations scale with `area_ratio` = (new side / old side)^2; the parameters and the
// optimizer do not.
WorkloadCost scale_image(const WorkloadCost& cost, double area_ratio);

}  // namespace ridgewatt::workload

#pragma GCC visibility pop
