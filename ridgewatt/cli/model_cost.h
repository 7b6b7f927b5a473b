// The model of a command line, priced at any batch.
#pragma once

#include <memory>
#include <string>

#include "ridgewatt/workload/workload_cost.h"

namespace ridgewatt::cli {

class ModelCost {
 public:
  // `model` is a path or zoo:NAME. Throws what load_workload throws.
  ModelCost(const std::string& model, WorkloadKind kind, Precision precision);
  ~ModelCost();
  // One minibatch. Not for several threads at once.
  WorkloadCost operator()(int batch);

 private:
  struct Loaded;
  std::unique_ptr<Loaded> loaded_;
};

}  // namespace ridgewatt::cli
