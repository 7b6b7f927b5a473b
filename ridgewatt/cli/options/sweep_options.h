// Reads the sweeps and samples of commands, prints remarks about rows that were left out, and
// prints predictions.
#pragma once

#include <optional>
#include <string>

#include "ridgewatt/answer/parameter.h"
#include "ridgewatt/answer/predict.h"
#include "ridgewatt/cli/command.h"
#include "ridgewatt/sweep/trusted_sweep.h"

namespace ridgewatt::cli {

// Value of --workload, which selects one sweep of a file by workload, board or both (choose_sweep,
// sweep/sweep.h). Rows of a twin also match with /RUNTIME after the board.
inline constexpr const char* kSweepNames = "NAME[:KIND[:PROVENANCE]][@BOARD], or @BOARD";

// Returns the remaining rows of a sweep, and prints a remark with the number of dropped rows.
Sweep with_remark(const Context& context, TrustedSweep trusted);
// Reads a sweep like the function in sweep/trusted_sweep.h, and prints the remark of with_remark().
Sweep read_trusted_sweep(const Context& context, const std::string& path, bool keep_outliers,
                         const std::optional<std::string>& workload = {});
// Drops the flagged rows of a sweep that was read from `path`. Prints the same remark.
Sweep leave_out_flagged(const Context& context, const Sweep& sweep, const std::string& path);

// Prints a remark with the number of rows that have a flag of their measurement.
void remark_flags(const Context& context, const Sweep& sweep);

// Adds --strict and the options of a table whose question begins with a PredictRequest.
void add_prediction(CLI::App& command, Context& context, const answer::ParameterTable& table,
                    void* question);
// Reads the samples (if given), the references and the points to predict: those of --query, or all
// modes of --device at the batches of the samples.
answer::PredictQuestion read_question(const Context& context, const answer::PredictRequest& asked);

// Like answer::read_samples(); also prints a remark with the number of dropped rows.
Sweep read_samples(const Context& context, const std::string& path, bool keep_outliers,
                   const std::optional<std::string>& workload, const std::string& device);

// Prints predictions as a table, CSV or JSON, or writes them to the file `path` as CSV or JSON. If
// the predictor used only some of many samples, a remark and the JSON state this.
void print_predictions(const Context& context, const answer::PredictAnswer& found,
                       const std::string& path = "");

}  // namespace ridgewatt::cli
