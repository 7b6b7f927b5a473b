#include "ridgewatt/cli/model_cost.h"

#include "ridgewatt/workload/cost_model.h"

namespace ridgewatt::cli {

struct ModelCost::Loaded {
  Model model;
  CostOptions options;
};

ModelCost::ModelCost(const std::string& model, WorkloadKind kind, const std::string& precision)
    : loaded_(std::make_unique<Loaded>()) {
  loaded_->model = load_workload(model);
  loaded_->options.kind = kind;
  loaded_->options.precision = precision;
}

ModelCost::~ModelCost() = default;

WorkloadCost ModelCost::operator()(int batch) {
  loaded_->options.batch = batch;
  return workload_cost(loaded_->model, loaded_->options);
}

}  // namespace ridgewatt::cli
