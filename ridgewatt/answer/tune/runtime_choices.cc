#include "ridgewatt/answer/tune/runtime_choices.h"

namespace ridgewatt::answer {
namespace {

std::vector<workload::Precision> usual_precisions(Runtime runtime) {
  using P = workload::Precision;
  switch (runtime) {
    case Runtime::kPytorchEager:
    case Runtime::kTorchscript:
    case Runtime::kTorchCompile:
      return {P::kFp32};
    case Runtime::kOnnxRuntime:
      return {P::kFp32, P::kFp16};
    case Runtime::kTensorRt:
      return {P::kFp32, P::kFp16, P::kInt8};
  }
  return {};
}

}  // namespace

std::string RuntimeChoice::name() const {
  return std::string(name_of(runtime)) + " " + std::string(name_of(precision));
}

std::vector<RuntimeChoice> runtime_choices(const std::vector<workload::Precision>& precisions) {
  std::vector<RuntimeChoice> choices;
  for (const Runtime runtime : kRuntimes) {
    for (const auto precision : precisions.empty() ? usual_precisions(runtime) : precisions) {
      choices.push_back({runtime, precision});
    }
  }
  return choices;
}

std::shared_ptr<const workload::DeployedWorkload> deployed_as(
    const workload::DeployedWorkload& workload, const RuntimeChoice& choice) {
  workload::DeployOptions options = workload.options();
  options.runtime = choice.runtime;
  options.precision = choice.precision;
  // It cannot be moved: made in place.
  return std::shared_ptr<const workload::DeployedWorkload>(
      new workload::DeployedWorkload(workload.with(options)));
}

}  // namespace ridgewatt::answer
