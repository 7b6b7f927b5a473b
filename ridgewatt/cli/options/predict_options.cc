#include "ridgewatt/cli/options/predict_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/cli/options/parameters.h"
#include "ridgewatt/cli/options/tune_options.h"
#include "ridgewatt/cli/options/workload_options.h"
#include "ridgewatt/predict/nn_predictor.h"
#include "ridgewatt/report/prediction_report.h"
#include "ridgewatt/sweep/points.h"

namespace ridgewatt::cli {

void add_prediction(CLI::App& command, Context& context, const answer::ParameterTable& table,
                    void* question) {
  add_strict(command, context);
  add_parameters(command, table, question);
  command.get_option("--reference")->allow_extra_args(false);  // an argument may follow
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
  return with_remark(context, answer::read_samples(path, device, {keep_outliers, workload}));
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
  for (const auto& line : found.remarks) remark(context, line);
  if (!found.rests_on_a_part()) return;
  remark(context, fmt::format("parameters are fitted on {} of the {} samples that fill the space, "
                              "predictions learn from their neighbors among all (seed {})",
                              found.summary->part, found.summary->samples, context.seed));
}

namespace {

// The model on the twin of --device as prior; says what its cost leaves out.
std::shared_ptr<const workload::DeployedWorkload> prior_of(
    const Context& context, const answer::PredictRequest& asked,
    const answer::PredictQuestion& question) {
  if (asked.device.empty()) {
    throw UsageError("a model alone says nothing of time and power", "--model",
                     "give --device, whose twin is to be the prior");
  }
  auto workload = std::make_shared<const workload::DeployedWorkload>(
      asked.model, workload::DeployOptions{workload_kind_of(question.samples.kind)});
  const int batch = question.points.empty() ? 0 : question.points.front().batch;
  const workload::CostCaveats& caveats = workload->at(batch)->caveats;
  for (const auto& line : caveats.lines()) remark(context, line);
  refuse_uncounted(context, caveats);
  return workload;
}

}  // namespace

answer::PredictQuestion read_question(const Context& context, const answer::PredictRequest& asked) {
  answer::PredictQuestion question;
  if (!asked.samples.empty()) {
    question.samples =
        read_samples(context, asked.samples, asked.keep_outliers, asked.workload, asked.device);
  }
  if (!asked.query.empty()) {
    question.points = answer::at_batches_of(question.samples, read_points(asked.query));
  } else if (!asked.device.empty()) {
    question.points = answer::points_of_board(asked.device, question.samples);
  } else {
    throw UsageError("no modes to predict", "predict", "give --device or --query");
  }
  for (const auto& path : asked.references) {
    question.references.push_back(read_trusted_sweep(context, path, asked.keep_outliers));
  }
  if (!asked.reference_model.empty()) {
    question.reference_model = std::make_shared<const predict::ReferenceModel>(
        predict::read_reference_model(asked.reference_model));
  }
  question.device = asked.device;
  question.method = asked.method;
  question.interval = asked.interval;
  question.seed = context.seed;
  question.quiet = context.quiet;
  if (!asked.model.empty()) question.workload = prior_of(context, asked, question);
  return question;
}

}  // namespace ridgewatt::cli
