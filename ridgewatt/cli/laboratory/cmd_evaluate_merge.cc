// ridgewatt evaluate merge: combines the parts of an evaluation into one answer.
#include "ridgewatt/cli/laboratory/evaluate_commands.h"
#include "ridgewatt/evaluate/parts.h"

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
      evaluate, context, "merge",
      "Combine the parts of an evaluation into the result that one process would have printed",
      "ridgewatt evaluate merge part-*.json --format csv", run);
  add.input("PART", paths, "All files that evaluate ... --part K/N wrote")->required();
}

}  // namespace ridgewatt::cli
