#include <memory>

#include "ridgewatt/predict/twin_reference.h"
#include "ridgewatt/workload/cost_model.h"

namespace ridgewatt {

CostFunction model_costs(const std::string& model, WorkloadKind kind) {
  const auto loaded = std::make_shared<Model>(load_workload(model));
  return [loaded, kind](int batch) {
    CostOptions options;
    if (batch > 0) options.batch = batch;
    options.kind = kind;
    return workload_cost(*loaded, options);
  };
}

}  // namespace ridgewatt
