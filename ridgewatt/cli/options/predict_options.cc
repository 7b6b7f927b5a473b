#include "ridgewatt/cli/options/predict_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/cli/options/tune_options.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/cli/options/workload_options.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/predict/auto_predictor.h"
#include "ridgewatt/predict/twin_reference.h"
#include "ridgewatt/report/prediction_report.h"
#include "ridgewatt/sweep/board_fit.h"
#include "ridgewatt/sweep/points.h"
#include "ridgewatt/tune/comparison.h"

namespace ridgewatt::cli {

void PredictOptions::add_to(CLI::App& command, Context& context) {
  add_strict(command, context);
  input_file(command.add_option("--samples", samples, "Sweep CSV of the profiled modes"));
  command.add_option("--workload", workload, "Workload of --samples (or --sweep): NAME[:KIND]");
  input_file(command.add_option("--reference", references,
                                "Sweep CSV of another workload; may be repeated"))
      ->allow_extra_args(false);
  command.add_option("--device", device, "Board whose modes are predicted");
  command.add_option("--model", model,
                     "Model file or zoo:NAME; with --device its twin is the prior");
  input_file(command.add_option("--query", query, "CSV of the modes (and batches) to predict"));
  command
      .add_option("--method", method,
                  fmt::format("Predictor: {}", fmt::join(predictor_methods(), ", ")))
      ->capture_default_str();
  input_file(
      command.add_option("--reference-model", reference_model,
                         "Trained reference for powertrain (see predict --train-reference)"));
  quantity(command.add_option("--interval", confidence, "Probability of the intervals"),
           share().within(0.01, 0.999))
      ->capture_default_str();
  command.add_flag("--keep-outliers", keep_outliers, "Use the rows that the quality check flags");
}

namespace {

std::vector<OperatingPoint> points_asked(const PredictOptions& options, const Sweep& samples) {
  std::vector<OperatingPoint> asked;
  if (!options.query.empty()) {
    asked = read_points(options.query);
  } else if (!options.device.empty()) {
    const KnobSpace board = knob_space(load_board(options.device));
    const KnobSpace space = samples.observations.empty() ? board : knobs_of_samples(board, samples);
    for (const auto& mode : space.modes()) asked.push_back({mode, 0});
  } else {
    throw UsageError("no modes to predict", "predict", "give --device or --query");
  }
  if (samples.observations.empty()) return asked;
  // A mode without a batch is asked at those of the samples.
  std::vector<OperatingPoint> points;
  for (const auto& point : asked) {
    if (point.batch > 0) {
      points.push_back(point);
      continue;
    }
    for (const int batch : samples.batches()) points.push_back({point.mode, batch});
  }
  return points;
}

}  // namespace

KnobSpace knobs_of_samples(const KnobSpace& board, const Sweep& samples) {
  const KnobSpace varied = samples.space();
  std::vector<PowerMode> modes = board.modes();
  for (auto& mode : modes) {
    for (const Knob knob : kKnobs) {
      if (varied.levels(knob).empty()) mode.set(knob, 0);
    }
  }
  return KnobSpace(std::move(modes));
}

PowerBudgets parse_budgets(const std::string& text) {
  const auto fields = split(text, ':');
  const auto least_w = parse_double(fields.front()), most_w = parse_double(fields.back());
  if (fields.size() > 2 || !least_w || !most_w) {
    throw UsageError(fmt::format("'{}' is not a range of power", text), "--budgets",
                     "give LEAST:MOST in W, for example 17:50");
  }
  const PowerBudgets budgets{*least_w, *most_w, 1};
  budgets.values_w();  // throws where they are none
  return budgets;
}

Sweep read_samples(const Context& context, const std::string& path, bool keep_outliers,
                   const std::optional<std::string>& workload, const std::string& device) {
  Sweep samples = read_trusted_sweep(context, path, keep_outliers, workload);
  take_governed(samples);
  if (!device.empty()) fit_to_board(samples, load_board(device));
  return samples;
}

namespace {

// What was fitted, where that was on a part of many samples.
const AutoSummary* fitted_on_part(const Predictor* predictor) {
  const auto* fitted = dynamic_cast<const AutoPredictor*>(predictor);
  if (fitted == nullptr || fitted->summary().part == fitted->summary().samples) return nullptr;
  return &fitted->summary();
}

}  // namespace

void print_predictions(const Context& context, const Predictor* predictor,
                       std::span<const OperatingPoint> points,
                       std::span<const Prediction> predictions,
                       const std::vector<RowOrigin>& origins, const std::string& path) {
  const AutoSummary* part = fitted_on_part(predictor);
  if (context.json()) {
    Json rows = predictions_to_json(points, predictions, origins);
    for (auto& row : rows) {
      if (part == nullptr) break;
      row["samples"] = part->samples;
      row["fitted_samples"] = part->part;
    }
    write_output(path, json_text(context, rows));
  } else if (!path.empty()) {
    std::ostringstream text;
    prediction_table(points, predictions, origins).print_csv(text);
    write_output(path, text.str());
  } else {
    print(context, context.csv() ? prediction_table(points, predictions, origins)
                                 : prediction_table(points, predictions));
  }
  if (part == nullptr) return;
  remark(context, fmt::format("parameters are fitted on {} of the {} samples that fill the space, "
                              "predictions learn from their neighbors among all (seed {})",
                              part->part, part->samples, context.seed));
}

PredictInputs read_inputs(const Context& context, const PredictOptions& options) {
  PredictInputs inputs;
  if (!options.samples.empty()) {
    inputs.samples = read_samples(context, options.samples, options.keep_outliers, options.workload,
                                  options.device);
  }
  inputs.origin = inputs.samples.origin_of(Provenance::kPredicted);
  if (inputs.origin.board.empty()) inputs.origin.board = options.device;
  inputs.points = points_asked(options, inputs.samples);
  PredictorOptions predictor;
  predictor.method = options.method;
  predictor.seed = context.seed;
  predictor.network.quiet = context.quiet;
  predictor.space = inputs.points;
  for (const auto& path : options.references) {
    predictor.references.push_back(read_trusted_sweep(context, path, options.keep_outliers));
  }
  if (!options.reference_model.empty()) {
    predictor.reference_model = read_reference_model(options.reference_model);
  }
  if (!options.model.empty()) {
    if (options.device.empty()) {
      throw UsageError("a model alone says nothing of time and power", "--model",
                       "give --device, whose twin is to be the prior");
    }
    const auto kind =
        inputs.samples.kind == "training" ? WorkloadKind::kTraining : WorkloadKind::kInference;
    const CostFunction costs = model_costs(options.model, kind);
    const auto caveats = costs(inputs.points.empty() ? 1 : inputs.points.front().batch).caveats;
    for (const auto& line : caveats.lines()) remark(context, line);
    refuse_uncounted(context, caveats);
    predictor.priors.push_back(
        twin_reference(options.device, costs, inputs.samples.provenance, inputs.points));
  }
  inputs.predictor = make_predictor(predictor);
  return inputs;
}

}  // namespace ridgewatt::cli
