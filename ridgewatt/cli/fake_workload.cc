#include "ridgewatt/cli/fake_workload.h"

#include "ridgewatt/workload/cost_model.h"

namespace ridgewatt::cli {

WorkloadCost fake_workload(const std::string& model, std::int64_t batch, bool training) {
  Model graph = load_workload(model);
  CostOptions options;
  options.batch = batch;
  options.kind = training ? WorkloadKind::kTraining : WorkloadKind::kInference;
  return workload_cost(graph, options);
}

}  // namespace ridgewatt::cli
