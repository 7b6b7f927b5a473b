// Sweeps and samples that commands read, with remarks for what is left out, and how predictions are
// printed.
#pragma once

#include <optional>
#include <string>

#include "ridgewatt/answer/parameter.h"
#include "ridgewatt/answer/predict.h"
#include "ridgewatt/cli/command.h"
#include "ridgewatt/sweep/trusted_sweep.h"

namespace ridgewatt::cli {

// What --workload takes where a file holds several sweeps.
// By workload, board or both, as far as it takes to name one (choose_sweep, sweep/sweep.h). Rows of
// a twin also have a name with /RUNTIME behind the board.
inline constexpr const char* kSweepNames = "NAME[:KIND[:PROVENANCE]][@BOARD], or @BOARD";

// What is left of a sweep; a remark on standard error says how many rows were dropped.
Sweep with_remark(const Context& context, TrustedSweep trusted);
// As in sweep/trusted_sweep.h, with that remark.
Sweep read_trusted_sweep(const Context& context, const std::string& path, bool keep_outliers,
                         const std::optional<std::string>& workload = {});
// The same of a sweep that was read already from `path`.
Sweep leave_out_flagged(const Context& context, const Sweep& sweep, const std::string& path);

// Adds the options of a table that begins with those of PredictRequest, and --strict.
void add_prediction(CLI::App& command, Context& context, const answer::ParameterTable& table,
                    void* question);
// Reads samples (where given), references and the points asked: those of --query, or all modes of
// --device at the samples' batches.
answer::PredictQuestion read_question(const Context& context, const answer::PredictRequest& asked);

// As in answer/predict.h; a remark on standard error says how many rows were dropped.
Sweep read_samples(const Context& context, const std::string& path, bool keep_outliers,
                   const std::optional<std::string>& workload, const std::string& device);

// As a table, CSV or JSON, or into the file `path` (CSV, or JSON where that is asked for). Where
// the predictor rests on a part of many samples, a remark and JSON say so.
void print_predictions(const Context& context, const answer::PredictAnswer& found,
                       const std::string& path = "");

}  // namespace ridgewatt::cli
