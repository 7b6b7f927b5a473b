// ridgewatt evaluate: score predictors, strategies and schedules on sweeps.
#include "ridgewatt/cli/laboratory/evaluate_commands.h"
#include "ridgewatt/report/html_report.h"
#include "ridgewatt/report/svg.h"

namespace ridgewatt::cli {
namespace {

void add_evaluate(CLI::App& app, Context& context) {
  CLI::App* evaluate = command_named(app, "evaluate", kEvaluateDescription);
  evaluate->require_subcommand(1);
  for (const auto add : kEvaluateCommands) add(*evaluate, context);
}

constexpr CommandEntry kLabCommands[] = {
    {"evaluate", add_evaluate, kLaboratory},
    {"help", add_help, kHelp},
    {"man", add_man, kHelp},
    {"complete", add_complete, ""},
};

}  // namespace

constinit const std::span<const CommandEntry> kLaboratoryCommands(kLabCommands);

void add_evaluate_pipeline(CLI::App& evaluate, Context& context) {
  auto* command = add_command(evaluate, context, "pipeline",
                              "Compare the pipeline model with a published study of training on "
                              "Xavier boards: rows it is fitted to and rows it predicts",
                              "ridgewatt evaluate pipeline");
  command->callback([&context] {
    print(context,
          evaluate::published_pipeline_result(evaluate::evaluate_published_pipeline(context.seed)));
  });
}

void write_scores(const FigureFiles& files, const std::string& title,
                  const std::vector<report::Figure>& figures, const report::Table& scores) {
  const auto page_of = [&] {
    report::HtmlReport page(title);
    for (const auto& figure : figures) page.figure(figure);
    page.table("Scores", scores);
    return page.html();
  };
  files.write([&] { return report::to_svg(figures, title); }, page_of);
}

}  // namespace ridgewatt::cli
