#include "ridgewatt/cli/options/predict_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/cli/options/choice.h"
#include "ridgewatt/cli/options/sweep_names.h"
#include "ridgewatt/cli/options/tune_options.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/cli/options/workload_options.h"
#include "ridgewatt/report/prediction_report.h"
#include "ridgewatt/sweep/points.h"

namespace ridgewatt::cli {

void PredictOptions::add_to(CLI::App& command, Context& context) {
  add_strict(command, context);
  input_file(command.add_option("--samples", samples, "Sweep CSV of the profiled modes"));
  command.add_option("--workload", workload,
                     std::string("Which sweep of --samples (or --sweep): ") + kSweepNames);
  input_file(command.add_option("--reference", references,
                                "Sweep CSV of another workload; may be repeated"))
      ->allow_extra_args(false);
  command.add_option("--device", device, "Board whose modes are predicted");
  command.add_option("--model", model,
                     "Model file or zoo:NAME; with --device its twin is the prior");
  input_file(command.add_option("--query", query, "CSV of the modes (and batches) to predict"));
  name_choice(command, "--method", method, {predict::predictor_methods()}, "Predictor")
      ->capture_default_str();
  input_file(
      command.add_option("--reference-model", reference_model,
                         "Trained reference for powertrain (see predict --train-reference)"));
  quantity(command.add_option("--interval", confidence, "Probability of the intervals"),
           share().within(0.01, 0.999))
      ->capture_default_str();
  command.add_flag("--keep-outliers", keep_outliers, "Use the rows that the quality check flags");
}

predict::PowerBudgets parse_budgets(const std::string& text) {
  const auto fields = split(text, ':');
  const auto least_w = parse_double(fields.front()), most_w = parse_double(fields.back());
  if (fields.size() > 2 || !least_w || !most_w) {
    throw UsageError(fmt::format("'{}' is not a range of power", text), "--budgets",
                     "give LEAST:MOST in W, for example 17:50");
  }
  const predict::PowerBudgets budgets{*least_w, *most_w, 1};
  budgets.values_w();  // throws where they are none
  return budgets;
}

Sweep read_samples(const Context& context, const std::string& path, bool keep_outliers,
                   const std::optional<std::string>& workload, const std::string& device) {
  TrustedSweep samples = ridgewatt::answer::read_samples(path, device, {keep_outliers, workload});
  if (samples.dropped > 0) remark(context, samples.remark());
  return std::move(samples.sweep);
}

void print_predictions(const Context& context, const answer::PredictAnswer& found,
                       const std::string& path) {
  if (context.json()) {
    write_output(path, json_text(context, report::predictions_to_json(found)));
  } else if (!path.empty()) {
    std::ostringstream text;
    report::prediction_table(found.points, found.predictions, found.origins).print_csv(text);
    write_output(path, text.str());
  } else {
    print(context, context.csv()
                       ? report::prediction_table(found.points, found.predictions, found.origins)
                       : report::prediction_table(found.points, found.predictions));
  }
  if (!found.rests_on_a_part()) return;
  remark(context, fmt::format("parameters are fitted on {} of the {} samples that fill the space, "
                              "predictions learn from their neighbors among all (seed {})",
                              found.summary->part, found.summary->samples, context.seed));
}

namespace {

// The model on the twin of --device as prior; says what its cost leaves out.
std::shared_ptr<const workload::DeployedWorkload> prior_of(
    const Context& context, const PredictOptions& options,
    const answer::PredictQuestion& question) {
  if (options.device.empty()) {
    throw UsageError("a model alone says nothing of time and power", "--model",
                     "give --device, whose twin is to be the prior");
  }
  auto workload = std::make_shared<const workload::DeployedWorkload>(
      options.model, workload::DeployOptions{workload_kind_of(question.samples.kind)});
  const int batch = question.points.empty() ? 0 : question.points.front().batch;
  const workload::CostCaveats& caveats = workload->at(batch)->caveats;
  for (const auto& line : caveats.lines()) remark(context, line);
  refuse_uncounted(context, caveats);
  return workload;
}

}  // namespace

answer::PredictQuestion PredictOptions::question(const Context& context) const {
  answer::PredictQuestion asked;
  if (!samples.empty()) {
    asked.samples = read_samples(context, samples, keep_outliers, workload, device);
  }
  if (!query.empty()) {
    asked.points = answer::at_batches_of(asked.samples, read_points(query));
  } else if (!device.empty()) {
    asked.points = answer::points_of_board(device, asked.samples);
  } else {
    throw UsageError("no modes to predict", "predict", "give --device or --query");
  }
  for (const auto& path : references) {
    asked.references.push_back(read_trusted_sweep(context, path, keep_outliers));
  }
  if (!reference_model.empty())
    asked.reference_model = predict::read_reference_model(reference_model);
  asked.device = device;
  asked.method = method;
  asked.interval = confidence;
  asked.seed = context.seed;
  asked.quiet = context.quiet;
  if (!model.empty()) asked.workload = prior_of(context, *this, asked);
  return asked;
}

}  // namespace ridgewatt::cli
