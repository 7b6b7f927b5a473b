// ridgewatt analyze: what a model costs.
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/options/choice.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/cli/options/workload_options.h"
#include "ridgewatt/report/analysis_report.h"
#include "ridgewatt/workload/onnx_reader.h"

namespace ridgewatt::cli {
namespace {

struct AnalyzeArguments {
  std::string model;
  std::vector<std::string> dims;
  std::vector<std::string> inputs;
  workload::CostOptions cost;
  bool per_layer = false;
  std::string explain;
};

workload::CostOptions cost_options(const AnalyzeArguments& arguments,
                                   const workload::Model& model) {
  workload::CostOptions options = arguments.cost;
  for (const auto& dim : arguments.dims) options.dims.insert(parse_dim(dim));
  if (arguments.inputs.size() > model.graph.inputs.size()) {
    throw UsageError("more --inputs than the model has inputs", model.name);
  }
  for (std::size_t i = 0; i < arguments.inputs.size(); ++i) {
    const workload::Tensor& input = model.tensors[static_cast<std::size_t>(model.graph.inputs[i])];
    const workload::ValueInfo like = input.declared ? *input.declared : workload::ValueInfo{};
    options.inputs.push_back(workload::load_value(arguments.inputs[i], like));
  }
  return options;
}

void print_layers(const Context& context, const workload::Model& model,
                  const workload::Analysis& analysis, const workload::CostOptions& options) {
  if (options.runtime) {
    print(context, report::analysis_kernels(analysis));
    if (context.csv()) return;
    std::cout << "\nIn all:\n\n";
    print_aside(context, report::analysis_totals(model, analysis, options.traffic));
    return;
  }
  const report::Table layers = report::analysis_layers(analysis);
  print(context, layers, report::kAnalysisOrder);
  if (context.csv()) return;
  print_sums(context, report::analysis_sums(layers));
  std::cout << "\nIn all:\n\n";
  print_aside(context, report::analysis_totals(model, analysis, options.traffic));
}

void run(const Context& context, const AnalyzeArguments& arguments) {
  workload::Model model = workload::load_workload(arguments.model);
  const workload::CostOptions options = cost_options(arguments, model);
  const workload::Analysis analysis = workload::analyze(model, options);
  const workload::CostCaveats& caveats = analysis.workload.caveats;
  if (!context.json()) {
    for (const auto& line : caveats.lines()) remark(context, line);
  }
  if (!arguments.explain.empty()) {
    const workload::Explanation explanation = workload::explain_node(analysis, arguments.explain);
    if (context.json())
      print(context, report::explanation_json(explanation));
    else
      std::cout << report::explanation_text(explanation);
  } else if (context.json()) {
    print(context, report::analysis_json(model, analysis, options));
  } else if (arguments.per_layer) {
    print_layers(context, model, analysis, options);
  } else {
    print(context, report::analysis_totals(model, analysis, options.traffic));
  }
  refuse_uncounted(context, caveats);
}

}  // namespace

void add_analyze(CLI::App& app, Context& context) {
  auto* command =
      add_command(app, context, "analyze", "Operations, bytes, parameters and memory of a model",
                  "ridgewatt analyze zoo:resnet50 --batch 16 --per-layer\n"
                  "  ridgewatt analyze zoo:yolo11m --dim image=320");
  auto a = std::make_shared<AnalyzeArguments>();
  command->add_option("MODEL", a->model, "ONNX file, or zoo:NAME")->required();
  quantity(
      command->add_option("--batch", a->cost.batch, "Samples per minibatch [as exported, or 1]"),
      count().within(1, 1 << 24));
  command->add_option("--dim", a->dims, "Size of a symbolic extent: name=value");
  input_file(command->add_option("--inputs", a->inputs,
                                 "Concrete inputs: TensorProto files in input order"));
  add_training(*command, a->cost.kind);
  choice(*command, "--optimizer", a->cost.optimizer, "sgd, momentum or adam")
      ->capture_default_str();
  add_precision(*command, a->cost.precision);
  auto* runtime = command->add_option_function<std::string>(
      "--runtime",
      [a](const std::string& text) { a->cost.runtime = parse_word<Runtime>(text, "runtime"); },
      "Kernels as it launches them: " + joined_names<Runtime>());
  choice(*command, "--convention", a->cost.convention, "What counts: full, macs or pagoda")
      ->capture_default_str();
  choice(*command, "--traffic", a->cost.traffic, "Bytes: unfused, fused or ideal")
      ->capture_default_str()
      ->excludes(runtime);
  quantity(command->add_option("--cache-size", a->cost.cache_bytes,
                               "Last-level cache of the device in bytes"),
           bytes());
  command->add_flag("--per-layer", a->per_layer, "Every node; with --runtime every kernel");
  command->add_option("--explain", a->explain, "How the cost of the node NAME comes about");
  add_strict(*command, context);
  command->callback([&context, a] { run(context, *a); });
}

void add_operators(CLI::App& app, Context& context) {
  add_command(app, context, "operators", "Reference of all operators and their costs, in Markdown",
              "ridgewatt operators > docs/reference/operators.md")
      ->callback([] { std::cout << report::operators_markdown(); });
}

}  // namespace ridgewatt::cli
