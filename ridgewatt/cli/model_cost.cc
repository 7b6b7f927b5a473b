#include "ridgewatt/cli/model_cost.h"

#include "ridgewatt/twin/calibration_runs.h"

namespace ridgewatt::cli {

struct ModelCost::Loaded {
  EagerModel model;
  EagerOptions options;
};

ModelCost::ModelCost(const std::string& model, WorkloadKind kind, Precision precision)
    : loaded_(std::make_unique<Loaded>(Loaded{EagerModel(model), {}})) {
  loaded_->options.training = kind == WorkloadKind::kTraining;
  loaded_->options.precision = precision;
}

ModelCost::~ModelCost() = default;

WorkloadCost ModelCost::operator()(int batch) {
  loaded_->options.batch = batch;
  return loaded_->model.cost(loaded_->options);
}

}  // namespace ridgewatt::cli
