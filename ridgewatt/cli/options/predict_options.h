// What the commands that predict from samples share: the inputs that are read, and how predictions
// are printed.
#pragma once

#include <optional>
#include <string>

#include "ridgewatt/answer/parameter.h"
#include "ridgewatt/answer/predict.h"
#include "ridgewatt/cli/command.h"

namespace ridgewatt::cli {

// Adds the options of a table that begins with those of PredictRequest, and --strict.
void add_prediction(CLI::App& command, Context& context, const answer::ParameterTable& table,
                    void* question);
// Reads samples (where given), references and the points asked: those of --query, or all modes of
// --device at the samples' batches.
answer::PredictQuestion read_question(const Context& context, const answer::PredictRequest& asked);

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
