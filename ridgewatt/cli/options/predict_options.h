// What the commands that predict from samples share: options, and the inputs read from them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ridgewatt/cli/command.h"
#include "ridgewatt/predict/design.h"
#include "ridgewatt/predict/factory.h"

namespace ridgewatt::cli {

struct PredictOptions {
  std::string samples, workload, device, query, model, method = "auto", reference_model;
  std::vector<std::string> references;
  bool keep_outliers = false;
  double confidence = kDefaultInterval;  // of the intervals

  void add_to(CLI::App& command, Context& context);
};

struct PredictInputs {
  Sweep samples;
  std::vector<OperatingPoint> points;  // where to predict
  std::unique_ptr<Predictor> predictor;
  RowOrigin origin;  // of the predictions
};

// Budgets 1 W apart from LEAST:MOST, or one budget, in W: the value of --budgets.
PowerBudgets parse_budgets(const std::string& text);

// The modes of a board with the knobs that the samples have: another was not varied and is no
// dimension here.
KnobSpace knobs_of_samples(const KnobSpace& board, const Sweep& samples);

// The trusted rows of --samples (read_trusted_sweep); under a governor clocks wander, so such rows
// are not samples. With the name of a board they must be its own (fit_to_board).
Sweep read_samples(const Context& context, const std::string& path, bool keep_outliers,
                   const std::optional<std::string>& workload, const std::string& device);

// As a table, CSV or JSON, or into the file `path` (CSV, or JSON where that is asked for).
// `origins` has one for all or one per row. Where `predictor` (null: none was fitted) rests on a
// part of many samples, a remark and JSON say so.
void print_predictions(const Context& context, const Predictor* predictor,
                       std::span<const OperatingPoint> points,
                       std::span<const Prediction> predictions,
                       const std::vector<RowOrigin>& origins, const std::string& path = "");

// Reads samples (where given), references and the points asked (those of --query, or all modes of
// --device at the samples' batches), and makes the predictor, not yet fitted.
PredictInputs read_inputs(const Context& context, const PredictOptions& options);

}  // namespace ridgewatt::cli
