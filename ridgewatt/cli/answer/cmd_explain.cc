// ridgewatt explain: why a measured time differs from what the hardware can do.
#include <iostream>

#include "ridgewatt/answer/explain.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/cli/options/parameters.h"
#include "ridgewatt/cli/options/workload_options.h"
#include "ridgewatt/report/explain_report.h"

namespace ridgewatt::cli {
namespace {

void run(const Context& context, answer::ExplainQuestion& question, const CLI::App& command) {
  check_parameters(command, answer::explain_parameters(), &question);
  question.device = board_or_local(context, question.device);
  const answer::ExplainAnswer found = answer::explain(question);
  say_caveats(context, found.workload->at(found.batch)->caveats);
  if (context.json()) return print(context, report::explain_json(found));
  if (!context.csv()) std::cout << escape_terminal(report::explain_text(found)) << "\n\n";
  print(context, with_origin(context, report::explain_table(found, !context.csv()), found.origin));
  for (const auto& reason : found.widened_by) remark(context, "the interval is wide: " + reason);
}

}  // namespace

void add_explain(CLI::App& app, Context& context) {
  const auto [command, question, add] = define<answer::ExplainQuestion>(
      app, context, "explain", "Why a measured time is not what the hardware can do",
      "ridgewatt explain zoo:resnet50 --device orin-nano-8gb --measured 45ms\n"
      "  ridgewatt explain zoo:yolov8n --device agx-orin --runtime tensorrt --precision fp16 "
      "--samples-per-second 60 --power 22W --claimed 4ms",
      run);
  add_parameters(command, answer::explain_parameters(), &question);
  add_strict(command, context);
}

}  // namespace ridgewatt::cli
