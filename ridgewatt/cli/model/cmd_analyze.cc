// ridgewatt analyze: what a model costs.
#include "ridgewatt/answer/analyze.h"
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/options/parameters.h"
#include "ridgewatt/cli/options/workload_options.h"
#include "ridgewatt/report/analysis_report.h"

namespace ridgewatt::cli {
namespace {

void print_layers(const Context& context, const answer::AnalyzeAnswer& found) {
  const auto& [model, options, analysis] = found;
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

void run(const Context& context, const answer::AnalyzeQuestion& question) {
  const answer::AnalyzeAnswer found(question);
  const workload::CostCaveats& caveats = found.analysis.workload.caveats;
  if (!context.json()) {
    for (const auto& line : caveats.lines()) remark(context, line);
  }
  if (!question.explain.empty()) {
    const auto explanation = workload::explain_node(found.analysis, question.explain);
    if (context.json())
      print(context, report::explanation_json(explanation));
    else
      std::cout << report::explanation_text(explanation);
  } else if (context.json()) {
    print(context, report::analysis_json(found.model, found.analysis, found.options));
  } else if (question.per_layer) {
    print_layers(context, found);
  } else {
    print(context, report::analysis_totals(found.model, found.analysis, found.options.traffic));
  }
  refuse_uncounted(context, caveats);
}

}  // namespace

void add_analyze(CLI::App& app, Context& context) {
  auto* command =
      add_command(app, context, "analyze", "Operations, bytes, parameters and memory of a model",
                  "ridgewatt analyze zoo:resnet50 --batch 16 --per-layer\n"
                  "  ridgewatt analyze zoo:yolo11m --dim image=320");
  auto question = std::make_shared<answer::AnalyzeQuestion>();
  add_parameters(*command, answer::analyze_parameters(), question.get());
  command->get_option("--traffic")->excludes(command->get_option("--runtime"));
  add_strict(*command, context);
  command->callback([&context, question] { run(context, *question); });
}

void add_operators(CLI::App& app, Context& context) {
  add_command(app, context, "operators", "Reference of all operators and their costs, in Markdown",
              "ridgewatt operators > docs/reference/operators.md")
      ->callback([] { std::cout << report::operators_markdown(); });
}

}  // namespace ridgewatt::cli
