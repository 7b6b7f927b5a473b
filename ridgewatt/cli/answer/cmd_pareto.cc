// ridgewatt pareto: the modes that no other mode beats, measured or predicted.
#include <fmt/format.h>

#include "ridgewatt/answer/presets.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/options/choice.h"
#include "ridgewatt/cli/options/option_rules.h"
#include "ridgewatt/cli/options/predict_options.h"
#include "ridgewatt/cli/options/tune_options.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/report/origin_columns.h"
#include "ridgewatt/report/prediction_report.h"

namespace ridgewatt::cli {
namespace {

struct ParetoCommand {
  PredictOptions inputs;
  std::string sweep, x = "time", y = "power";
  bool presets = false;
};

// Each preset of the board with the mode that beats it, instead of the front.
void print_presets(const Context& context, const ParetoCommand& options,
                   const answer::PredictAnswer& all, answer::FrontCost x, answer::FrontCost y) {
  const auto presets = answer::preset_standings(all, options.inputs.device, x, y);
  std::vector<RowOrigin> origins;
  std::size_t dominated = 0;
  for (const auto& preset : presets) {
    origins.push_back(preset.origin);
    if (preset.best) ++dominated;
    if (preset.sms_off > 0) {
      remark(context, fmt::format("{} also switches off {} multiprocessors, which a row does not "
                                  "say: its knobs are compared",
                                  preset.name, preset.sms_off));
    }
  }
  const report::Table table = report::preset_table(presets, x, y);
  print(context, context.json() || context.csv() ? report::with_origin(table, origins) : table);
  remark(context, fmt::format("{} of {} are beaten in both {} and {}; {}", dominated,
                              presets.size(), options.x, options.y, describe(all.origin)));
}

// The rows of --sweep; the modes of another board than --device are refused.
Sweep rows_of_board(const Context& context, const ParetoCommand& options) {
  return read_samples(context, options.sweep, options.inputs.keep_outliers, options.inputs.workload,
                      options.inputs.device);
}

// What the predictor learns from. Where that is a whole sweep, no prediction is needed, and a fit
// to so many rows takes long: that is said before it begins.
answer::PredictQuestion question_of(const Context& context, const ParetoCommand& options) {
  constexpr std::size_t kManyRows = 2000;  // chosen: more than anybody profiles to predict the rest
  answer::PredictQuestion question = options.inputs.question(context);
  const std::size_t rows = question.samples.observations.size();
  if (rows >= kManyRows) {
    remark(context, fmt::format("fits a predictor to {} rows; 'ridgewatt pareto --sweep {}' takes "
                                "the rows as they are, which is faster",
                                rows, options.inputs.samples));
  }
  return question;
}

void run(const Context& context, const ParetoCommand& options) {
  const answer::FrontCost x = parse_word<answer::FrontCost>(options.x, "cost"),
                          y = parse_word<answer::FrontCost>(options.y, "cost");
  if (options.presets) {
    return print_presets(context, options,
                         options.sweep.empty()
                             ? answer::predicted_points(question_of(context, options))
                             : answer::measured_points(rows_of_board(context, options)),
                         x, y);
  }
  const answer::PredictAnswer found =
      options.sweep.empty()
          ? answer::predicted_front(question_of(context, options), x, y)
          : answer::measured_front(
                read_trusted_sweep(context, options.sweep, options.inputs.keep_outliers,
                                   options.inputs.workload),
                x, y);
  print_predictions(context, found);
  remark(context, describe(found.origin));
}

void check(const CLI::App& command, const ParetoCommand& options) {
  if (options.presets && options.inputs.device.empty()) {
    throw UsageError("presets are those of a board", "--presets", "give --device");
  }
  if (options.sweep.empty()) return;
  const std::string why = "its rows are taken as they are";
  if (!options.presets) refuse_without_effect(command, {"--device"}, "with --sweep", why);
  refuse_without_effect(
      command, {"--model", "--query", "--method", "--reference", "--reference-model", "--interval"},
      "with --sweep", why);
}

}  // namespace

void add_pareto(CLI::App& app, Context& context) {
  auto* command =
      add_command(app, context, "pareto", "The modes that no other mode beats in both of two costs",
                  "ridgewatt pareto --sweep sweep.csv --x time --y power\n"
                  "  ridgewatt pareto --samples samples.csv --device agx-orin --x time --y energy\n"
                  "  ridgewatt pareto --sweep sweep.csv --device agx-orin --presets");
  auto options = std::make_shared<ParetoCommand>();
  options->inputs.add_to(*command, context);
  command->get_option("--samples")->required(false);
  auto* sweep = input_file(
      command->add_option("--sweep", options->sweep, "Front of a measured sweep instead"));
  sweep->excludes(command->get_option("--samples"));
  const NameSet costs{names<answer::FrontCost>()};
  name_choice(*command, "--x", options->x, costs, "First cost, per sample")->capture_default_str();
  name_choice(*command, "--y", options->y, costs, "Second cost, per sample")->capture_default_str();
  command->add_flag("--presets", options->presets,
                    "Instead, each preset of --device and the mode that beats it in both costs, "
                    "by how much");
  command->callback([&context, options, command] {
    check(*command, *options);
    if (options->sweep.empty() && options->inputs.samples.empty()) {
      throw CLI::RequiredError("--samples or --sweep");
    }
    run(context, *options);
  });
}

}  // namespace ridgewatt::cli
