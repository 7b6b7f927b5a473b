// ridgewatt predict: time, power and energy of all modes from a few profiled ones.
#include <fmt/format.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/plural.h"
#include "ridgewatt/cli/options/option_rules.h"
#include "ridgewatt/cli/options/parameters.h"
#include "ridgewatt/cli/options/sweep_options.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/predict/factory.h"
#include "ridgewatt/predict/nn_predictor.h"
#include "ridgewatt/report/prediction_report.h"

namespace ridgewatt::cli {
namespace {

struct PredictCommand {
  answer::SuggestRequest asked;
  std::string output, train_reference;
  bool advise = false;
  predict::ProfilingCost profiling;
  predict::TrainingScenario job{"job", 0, 1, 1};
};

// Prints which method pays off for the described job or, without one, for common scenarios.
void advise(const Context& context, PredictCommand options) {
  options.profiling.board_modes =
      knob_space(load_board(options.asked.inputs.device)).modes().size();
  const auto scenarios =
      options.job.training_s > 0 ? std::vector{options.job} : predict::training_scenarios();
  const auto costs = answer::advise(scenarios, options.profiling);
  print(context, report::advice_table(costs));
  for (const auto& line : report::advice_remarks(costs)) remark(context, line);
}

void suggest(const Context& context, const answer::SuggestRequest& asked) {
  const auto question = read_question(context, asked.inputs);
  const answer::PredictAnswer found =
      answer::suggest_modes(question, static_cast<std::size_t>(*asked.count), asked.budgets);
  if (found.points.empty() && asked.budgets) {
    throw NoSolutionError(
        "no unprofiled mode is expected to be faster within any of these power budgets",
        fmt::format("{} to {} W", asked.budgets->least_w, asked.budgets->most_w),
        "give other power budgets, or --suggest without them");
  }
  if (found.points.empty())
    throw NoSolutionError("every mode is already profiled, so none can be suggested",
                          asked.inputs.samples);
  if (found.predictions.empty()) return print(context, report::points_table(found.points));
  print_predictions(context, found);
}

void train(const Context& context, const PredictCommand& options) {
  predict::NnOptions network;
  network.seed = context.seed;
  network.quiet = context.quiet;
  const auto& inputs = options.asked.inputs;
  const Sweep samples =
      read_samples(context, inputs.samples, inputs.keep_outliers, inputs.workload, inputs.device);
  write_output(options.train_reference, predict::write_reference_model(predict::train_reference(
                                            samples.workload, samples.observations, network)));
}

void check(const Context& context, const CLI::App& command, const PredictCommand& options) {
  const auto& inputs = options.asked.inputs;
  if (options.advise) {
    refuse_without_effect(command,
                          {"--samples", "--reference", "--model", "--query", "--reference-model",
                           "--interval", "--output", "--suggest", "--train-reference"},
                          "with --advise");
  }
  if (options.asked.count) {
    refuse_without_effect(command, {"--output"}, "with --suggest", "it prints the modes");
  }
  if (!options.train_reference.empty()) {
    refuse_without_effect(command,
                          {"--device", "--reference", "--model", "--query", "--method",
                           "--reference-model", "--interval", "--output", "--suggest"},
                          "with --train-reference");
  }
  if (!predict::takes_reference_model(inputs.method)) {
    refuse_without_effect(command, {"--reference-model"}, "with --method " + inputs.method,
                          "powertrain starts from it");
  }
  if (!options.output.empty()) refuse_table_options(context, "with --output");
  if (!options.train_reference.empty()) refuse_table_options(context, "with --train-reference");
  if (options.advise && options.profiling.minibatch_s <= 0)
    throw CLI::RequiredError("--minibatch-time");
  if (!options.advise && inputs.samples.empty() && !options.asked.count) {
    throw CLI::RequiredError("--samples");
  }
}

void run(const Context& context, const PredictCommand& options, const CLI::App& command) {
  check(context, command, options);
  if (options.advise) return advise(context, options);
  if (!options.train_reference.empty()) return train(context, options);
  if (options.asked.count) return suggest(context, options.asked);
  const answer::PredictQuestion question = read_question(context, options.asked.inputs);
  const answer::PredictAnswer found = answer::predict_modes(question);
  print_predictions(context, found, options.output);
  remark(context,
         fmt::format("{} predicted from {} by {}: {}", counted(found.points.size(), "point"),
                     counted(question.samples.observations.size(), "sample"), found.method,
                     describe(found.origin)));
  if (!found.summary) return;
  for (const auto& candidate : found.summary->candidates) {
    remark(context, fmt::format("  {}: {:.0f} % of time, {:.0f} % of power", candidate.name,
                                100 * candidate.time_weight, 100 * candidate.power_weight));
  }
}

}  // namespace

void add_predict(CLI::App& app, Context& context) {
  const auto [command, options, add] =
      define_bare<PredictCommand>(app, context, answer::predict_parameters(), run);
  add_prediction(command, context, answer::predict_parameters(), &options.asked);
  add.output("-o,--output", options.output,
             "Write the predictions (CSV, or JSON with "
             "--format json) to this file");
  command.get_option("--budgets")
      ->needs(command.get_option("--suggest"))
      ->needs(command.get_option("--samples"));
  add.output("--train-reference", options.train_reference,
             "Train powertrain's reference networks on the samples and write them here");
  auto* advise = add.flag("--advise", options.advise,
                          "Instead of predicting, report which method needs the least time in "
                          "total: profiling plus the time lost in a slower mode");
  advise->needs(command.get_option("--device"));
  add.optional("--minibatch-time", options.profiling.minibatch_s, milliseconds().positive(),
               "With --advise: mean time of a minibatch over all modes")
      ->needs(advise);
  auto* one_training = add.optional(
      "--training-hours", options.job.training_s, hours().positive(),
      "With --advise: duration of one training in the best mode [several usual durations]");
  one_training->needs(advise);
  add.optional("--trainings", options.job.trainings, count().within(1, 1e9),
               "With --advise: number of trainings")
      ->needs(one_training)
      ->capture_default_str();
  add.optional("--workloads", options.job.workloads, count().within(1, 1e9),
               "With --advise: number of workloads, each profiled separately")
      ->needs(one_training)
      ->capture_default_str();
}

}  // namespace ridgewatt::cli
