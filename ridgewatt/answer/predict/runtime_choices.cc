#include "ridgewatt/answer/predict/runtime_choices.h"

#include <span>

namespace ridgewatt::answer {

std::string RuntimeChoice::name() const {
  return std::string(name_of(runtime)) + " " + std::string(name_of(precision));
}

std::vector<RuntimeChoice> runtime_choices(const std::vector<workload::Precision>& precisions,
                                           bool has_gpu) {
  std::vector<RuntimeChoice> choices;
  for (const Runtime runtime : kRuntimes) {
    if (is_on_cpu(runtime) == has_gpu) continue;
    const std::span<const workload::Precision> asked = precisions;
    for (const auto precision : asked.empty() ? workload::usual_precisions(runtime) : asked) {
      choices.push_back({runtime, precision});
    }
  }
  return choices;
}

workload::Precision wider_than(workload::Precision precision) {
  const int bits = workload::kPrecisionRows[precision].inference.activations;
  if (bits == 0) return precision;
  if (bits >= 16) return workload::Precision::kFp32;
  return bits >= 8 ? workload::Precision::kFp16 : workload::Precision::kFp8;
}

std::shared_ptr<const workload::DeployedWorkload> deployed_as(
    const workload::DeployedWorkload& workload, const RuntimeChoice& choice) {
  workload::DeployOptions options = workload.options();
  options.runtime = choice.runtime;
  options.precision = choice.precision;
  // Not make_shared(), which would have to move the workload.
  return std::shared_ptr<const workload::DeployedWorkload>(
      new workload::DeployedWorkload(workload.with(options)));
}

}  // namespace ridgewatt::answer
