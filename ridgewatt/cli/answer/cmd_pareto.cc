// ridgewatt pareto: the modes that no other mode beats, measured or predicted.
#include <fmt/format.h>

#include "ridgewatt/answer/presets.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/plural.h"
#include "ridgewatt/cli/options/option_rules.h"
#include "ridgewatt/cli/options/parameters.h"
#include "ridgewatt/cli/options/sweep_options.h"
#include "ridgewatt/report/prediction_report.h"

namespace ridgewatt::cli {
namespace {

// Returns the rows of --sweep. Throws if --device names another board.
Sweep rows_of_board(const Context& context, const answer::ParetoRequest& options) {
  return read_samples(context, options.sweep, options.inputs.keep_outliers, options.inputs.workload,
                      options.inputs.device);
}

// Returns the samples and the points to predict. If the samples are as many as those of a whole
// sweep, a remark says that a fit to them is slow and that --sweep needs no prediction.
answer::PredictQuestion question_of(const Context& context, const answer::ParetoRequest& options) {
  constexpr std::size_t kManyRows = 2000;  // chosen: above any practical number of samples
  answer::PredictQuestion question = read_question(context, options.inputs);
  const std::size_t rows = question.samples.observations.size();
  if (rows >= kManyRows && !answer::points_to_predict(question).empty()) {
    remark(context, fmt::format("a predictor is fitted to {}; 'ridgewatt pareto --sweep {}' "
                                "uses the rows directly, which is faster",
                                counted(rows, "row"), options.inputs.samples));
  }
  return question;
}

void check(const CLI::App& command, const answer::ParetoRequest& options) {
  if (options.presets && options.inputs.device.empty()) {
    throw UsageError("--presets needs a board", "", "give --device");
  }
  if (options.sweep.empty()) {
    if (!options.inputs.samples.empty()) return;
    throw CLI::RequiredError("--samples or --sweep");
  }
  const std::string why = "its rows are used without a prediction";
  if (!options.presets) refuse_without_effect(command, {"--device"}, "with --sweep", why);
  refuse_without_effect(
      command, {"--model", "--query", "--method", "--reference", "--reference-model", "--interval"},
      "with --sweep", why);
}

void run(const Context& context, const answer::ParetoRequest& options, const CLI::App& command) {
  check(command, options);
  const auto [x, y] = std::pair(options.x, options.y);
  if (options.presets) {
    const answer::PredictAnswer all =
        options.sweep.empty() ? answer::predicted_points(question_of(context, options))
                              : answer::measured_points(rows_of_board(context, options));
    return print(context,
                 report::presets_result(answer::preset_standings(all, options.inputs.device, x, y),
                                        x, y, all.origin));
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

}  // namespace

void add_pareto(CLI::App& app, Context& context) {
  const auto [command, options, add] =
      define_bare<answer::ParetoRequest>(app, context, answer::pareto_parameters(), run);
  add_prediction(command, context, answer::pareto_parameters(), &options);
  auto* const samples = command.get_option("--samples");
  auto* const sweep = command.get_option("--sweep");
  add.input("SWEEP", options.sweep, "The same as --sweep")->excludes(sweep)->excludes(samples);
  sweep->excludes(samples);
}

}  // namespace ridgewatt::cli
