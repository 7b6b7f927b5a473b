#include "ridgewatt/cli/board/fake_workload.h"

#include "ridgewatt/twin/calibration_runs.h"

namespace ridgewatt::cli {

WorkloadCost fake_workload(const std::string& model, std::int64_t batch, bool training) {
  EagerOptions options;
  options.batch = static_cast<int>(batch);
  options.training = training;
  return EagerModel(model).cost(options);
}

}  // namespace ridgewatt::cli
