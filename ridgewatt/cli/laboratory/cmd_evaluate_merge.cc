// ridgewatt evaluate merge: parts of an evaluation as the one answer.
#include "ridgewatt/cli/laboratory/evaluate_commands.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/evaluate/parts.h"
#include "ridgewatt/evaluate/score_tables.h"

namespace ridgewatt::cli {
namespace {

void run(Context& context, const std::vector<std::string>& paths) {
  const auto [command, result] = evaluate::merged_scores(paths);
  context.result_of = "evaluate." + command;
  print(context, result);
}

}  // namespace

void add_evaluate_merge(CLI::App& evaluate, Context& context) {
  const auto [command, paths, add] = define<std::vector<std::string>>(
      evaluate, context, "merge", "Parts of an evaluation as one process would have printed it",
      "ridgewatt evaluate merge part-*.json --format csv", run);
  add.input("PART", paths, "What evaluate ... --part K/N wrote, all of them")->required();
}

}  // namespace ridgewatt::cli
