// What the commands that predict from samples share: options, and the inputs read from them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/answer/predict.h"
#include "ridgewatt/cli/command.h"

namespace ridgewatt::cli {

struct PredictOptions {
  std::string samples, workload, device, query, model, method = "auto", reference_model;
  std::vector<std::string> references;
  bool keep_outliers = false;
  double confidence = predict::kDefaultInterval;  // of the intervals

  void add_to(CLI::App& command, Context& context);
  // Reads samples (where given), references and the points asked: those of --query, or all modes of
  // --device at the samples' batches.
  answer::PredictQuestion question(const Context& context) const;
};

// Budgets 1 W apart from LEAST:MOST, or one budget, in W: the value of --budgets.
predict::PowerBudgets parse_budgets(const std::string& text);

// As in answer/predict.h; a remark on standard error says how many rows were dropped.
Sweep read_samples(const Context& context, const std::string& path, bool keep_outliers,
                   const std::optional<std::string>& workload, const std::string& device);

// As a table, CSV or JSON, or into the file `path` (CSV, or JSON where that is asked for). Where
// the predictor rests on a part of many samples, a remark and JSON say so.
void print_predictions(const Context& context, const answer::PredictAnswer& found,
                       const std::string& path = "");

}  // namespace ridgewatt::cli
