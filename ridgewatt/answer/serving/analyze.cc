#include "ridgewatt/answer/analyze.h"

#include "ridgewatt/base/error.h"
#include "ridgewatt/workload/onnx_reader.h"

namespace ridgewatt::answer {
namespace {

workload::CostOptions with_inputs(const AnalyzeQuestion& question, const workload::Model& model) {
  workload::CostOptions options = question.cost;
  if (question.inputs.size() > model.graph.inputs.size()) {
    throw UsageError("--inputs gives more files than the model has inputs", model.name);
  }
  for (std::size_t i = 0; i < question.inputs.size(); ++i) {
    const workload::Tensor& input = model.tensors[static_cast<std::size_t>(model.graph.inputs[i])];
    const workload::ValueInfo like = input.declared ? *input.declared : workload::ValueInfo{};
    options.inputs.push_back(workload::load_value(question.inputs[i], like));
  }
  return options;
}

}  // namespace

AnalyzeAnswer::AnalyzeAnswer(const AnalyzeQuestion& question)
    : model(workload::load_workload(question.model)),
      options(with_inputs(question, model)),
      analysis(workload::analyze(model, options)) {}

}  // namespace ridgewatt::answer
