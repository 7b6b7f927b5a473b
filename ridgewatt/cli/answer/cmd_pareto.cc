// ridgewatt pareto: the modes that no other mode beats, measured or predicted.
#include <fmt/format.h>

#include "ridgewatt/answer/presets.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/options/option_rules.h"
#include "ridgewatt/cli/options/parameters.h"
#include "ridgewatt/cli/options/predict_options.h"
#include "ridgewatt/cli/options/tune_options.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/report/columns.h"
#include "ridgewatt/report/prediction_report.h"

namespace ridgewatt::cli {
namespace {

// Each preset of the board with the mode that beats it, instead of the front.
void print_presets(const Context& context, const answer::ParetoRequest& options,
                   const answer::PredictAnswer& all) {
  const auto [x, y] = std::pair(options.x, options.y);
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
                              presets.size(), name_of(x), name_of(y), describe(all.origin)));
}

// The rows of --sweep; the modes of another board than --device are refused.
Sweep rows_of_board(const Context& context, const answer::ParetoRequest& options) {
  return read_samples(context, options.sweep, options.inputs.keep_outliers, options.inputs.workload,
                      options.inputs.device);
}

// What the predictor learns from. Where that is a whole sweep, no prediction is needed, and a fit
// to all its rows takes long: that is said before it begins.
answer::PredictQuestion question_of(const Context& context, const answer::ParetoRequest& options) {
  constexpr std::size_t kManyRows = 2000;  // chosen: more than anybody profiles to predict the rest
  answer::PredictQuestion question = read_question(context, options.inputs);
  const std::size_t rows = question.samples.observations.size();
  if (rows >= kManyRows && !answer::points_to_predict(question).empty()) {
    remark(context, fmt::format("fits a predictor to {} rows; 'ridgewatt pareto --sweep {}' takes "
                                "the rows as they are, which is faster",
                                rows, options.inputs.samples));
  }
  return question;
}

void run(const Context& context, const answer::ParetoRequest& options) {
  if (options.presets) {
    return print_presets(context, options,
                         options.sweep.empty()
                             ? answer::predicted_points(question_of(context, options))
                             : answer::measured_points(rows_of_board(context, options)));
  }
  const answer::PredictAnswer found =
      options.sweep.empty()
          ? answer::predicted_front(question_of(context, options), options.x, options.y)
          : answer::measured_front(
                read_trusted_sweep(context, options.sweep, options.inputs.keep_outliers,
                                   options.inputs.workload),
                options.x, options.y);
  print_predictions(context, found);
  remark(context, describe(found.origin));
}

void check(const CLI::App& command, const answer::ParetoRequest& options) {
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
                  "ridgewatt pareto sweep.csv --x time --y power\n"
                  "  ridgewatt pareto --samples samples.csv --device agx-orin --x time --y energy\n"
                  "  ridgewatt pareto --sweep sweep.csv --device agx-orin --presets");
  auto options = std::make_shared<answer::ParetoRequest>();
  add_prediction(*command, context, answer::pareto_parameters(), options.get());
  auto* const samples = command->get_option("--samples");
  auto* const sweep = command->get_option("--sweep");
  input_file(command->add_option("SWEEP", options->sweep, "The same as --sweep"))
      ->excludes(sweep)
      ->excludes(samples);
  sweep->excludes(samples);
  command->callback([&context, options, command] {
    check(*command, *options);
    if (options->sweep.empty() && options->inputs.samples.empty()) {
      throw CLI::RequiredError("--samples or --sweep");
    }
    run(context, *options);
  });
}

}  // namespace ridgewatt::cli
