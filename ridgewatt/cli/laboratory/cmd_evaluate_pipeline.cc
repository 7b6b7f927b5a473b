// ridgewatt evaluate pipeline: the published study's stalls against the pipeline model.
#include "ridgewatt/cli/laboratory/evaluate_commands.h"
#include "ridgewatt/evaluate/score_tables.h"

namespace ridgewatt::cli {
void add_evaluate_pipeline(CLI::App& evaluate, Context& context) {
  auto* command = add_command(
      evaluate, context, "pipeline",
      "The published study of training on Xavier boards: rows that fit the pipeline model and rows "
      "that it predicts",
      "ridgewatt evaluate pipeline");
  command->callback([&context] {
    print(context,
          evaluate::published_pipeline_result(evaluate::evaluate_published_pipeline(context.seed)));
  });
}

}  // namespace ridgewatt::cli
