// ridgewatt evaluate merge: parts of an evaluation as the one answer.
#include "ridgewatt/base/error.h"
#include "ridgewatt/cli/laboratory/evaluate_commands.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/evaluate/parts.h"

namespace ridgewatt::cli {
namespace {

void run(Context& context, const std::vector<std::string>& paths) {
  evaluate::PartFile whole = evaluate::merge_parts(paths);
  const evaluate::Outcomes outcomes = evaluate::in_order(whole.groups, std::move(whole.outcomes));
  try {
    const Json& question = whole.question;
    const auto command = question.at("command").get<std::string>();
    context.result_of = "evaluate." + command;
    if (command == "schedules") return print_schedule_scores(context, whole.groups, outcomes);
    if (command == "strategies") return print_strategy_scores(context, whole.groups, outcomes);
    if (command == "predictors") {
      const bool every_run = question.at("options").contains("--every-run");
      return print_predictor_scores(context, whole.groups, outcomes, every_run);
    }
    throw InputError("parts of an evaluation that this version does not know", command);
  } catch (const Json::exception&) {
    throw InputError("is not a part of an evaluation", paths.front(), "names are missing in it");
  }
}

}  // namespace

void add_evaluate_merge(CLI::App& evaluate, Context& context) {
  auto* command = add_command(evaluate, context, "merge",
                              "Parts of an evaluation as one process would have printed it",
                              "ridgewatt evaluate merge part-*.json --format csv");
  auto paths = std::make_shared<std::vector<std::string>>();
  OptionAdder(*command)
      .input("PART", *paths, "What evaluate ... --part K/N wrote, all of them")
      ->required();
  command->callback([&context, paths] { run(context, *paths); });
}

}  // namespace ridgewatt::cli
