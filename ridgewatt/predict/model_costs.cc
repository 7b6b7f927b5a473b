#include <algorithm>
#include <memory>

#include "ridgewatt/predict/twin_reference.h"
#include "ridgewatt/twin/calibration_runs.h"

namespace ridgewatt {

CostFunction model_costs(const std::string& model, WorkloadKind kind) {
  const auto loaded = std::make_shared<EagerModel>(model);
  return [loaded, kind](int batch) {
    EagerOptions options;
    options.batch = std::max(batch, 1);
    options.training = kind == WorkloadKind::kTraining;
    return loaded->cost(options);
  };
}

}  // namespace ridgewatt
