// ridgewatt analyze: what a model costs.
#include "ridgewatt/answer/analyze.h"
#include "ridgewatt/cli/options/parameters.h"
#include "ridgewatt/cli/options/workload_options.h"
#include "ridgewatt/report/analysis_report.h"

namespace ridgewatt::cli {
namespace {

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
  } else {
    print(context,
          report::analysis_result(found.model, found.analysis, found.options, question.per_layer));
  }
  refuse_uncounted(context, caveats);
}

}  // namespace

void add_analyze(CLI::App& app, Context& context) {
  const auto [command, question, add] =
      define<answer::AnalyzeQuestion>(app, context, answer::analyze_parameters(), run);
  command.get_option("--traffic")->excludes(command.get_option("--runtime"));
  add_strict(command, context);
}

void add_operators(CLI::App& app, Context& context) {
  add_command(app, context, "operators", "Reference of all operators and their costs, in Markdown",
              "ridgewatt operators > docs/reference/operators.md")
      ->callback([] { std::cout << report::operators_markdown(); });
}

}  // namespace ridgewatt::cli
