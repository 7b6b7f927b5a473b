#include "ridgewatt/answer/workload_question.h"

namespace ridgewatt::answer {

workload::DeployOptions WorkloadQuestion::deploy() const {
  workload::DeployOptions options;
  options.kind = kind;
  options.precision = precision.value_or(workload::Precision::kFp32);
  options.optimizer = optimizer;
  options.dims = dims;
  options.runtime = runtime;
  return options;
}

std::shared_ptr<const workload::DeployedWorkload> WorkloadQuestion::load() const {
  return std::make_shared<const workload::DeployedWorkload>(model, deploy());
}

}  // namespace ridgewatt::answer
