// Scores of the predictions for engines of language models. Each model in each quantization is
// predicted from the other rows of its engine and from the other engines.
//
//   const LlmScores scores = score_llm({"llm-agx-orin-32gb.csv", "llm-boards.csv"});
//   scores.totals[0].step.error;   // median of |predicted / measured - 1|
//   scores.totals[0].step.inside;  // share of cells in their 90 % interval
//
// A cell is one row of measurements: a model in one quantization, with an engine, board, mode and
// request.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ridgewatt/llm/engine_file.h"
#include "ridgewatt/llm/engine_rows.h"

namespace ridgewatt::evaluate {

// Score of one figure over some cells. NaN without cells.
struct LlmFigureScore {
  double error = 0;   // median of |predicted / measured - 1|
  double bias = 0;    // median of predicted / measured - 1
  double inside = 0;  // share of cells in their interval, whose width comes from the other engines
};

// Cells that are scored together. An empty name stands for all values.
struct LlmGroup {
  std::string engine, board, mode, model, quantization;
  std::size_t cells = 0;
  std::size_t learned_from = 0;  // smallest number of cells of the engine used in a fit
  LlmFigureScore step;           // time per token
  LlmFigureScore prompt;         // time to the first token
  LlmFigureScore decode_power, prefill_power;
};

// Slope of the time per token over the size of the KV cache, divided by the time to read a byte of
// the cache at peak DRAM bandwidth. Fitted by least squares to the cells of one model.
struct LlmSlope {
  std::string engine, model, quantization;
  std::size_t cells = 0;
  double measured = 0;            // over all prompts and generations
  double measured_generated = 0;  // over generations at the same prompt length
  double predicted = 0;           // predicted by fits without these cells
  // Share of the predicted step in which the host is busy. 1: the host limits the speed.
  double host_share = 0;
};

// A row that is only scored. Parameters were fitted to all other rows.
struct LlmJudged {
  std::string engine, board, mode, model, quantization;
  std::string figure;  // "token (ms)", "request (s)", "GPU and CPU (mJ/token)"
  double measured = 0, predicted = 0, low = 0, high = 0;
};

struct LlmScores {
  llm::EngineRows rows;
  std::vector<LlmGroup> groups;   // one per engine, board, mode, model and quantization
  std::vector<LlmGroup> engines;  // one per engine, board and mode
  std::vector<LlmGroup> totals;   // one per board and mode
  std::vector<LlmSlope> slopes;   // for models that were measured at several context lengths
  std::vector<LlmJudged> judged;  // rows that no fit uses
  llm::EngineFile fitted;         // engines fitted to all rows, as shipped
};

// Scores the rows of the files. For boards that the fit uses, each fit leaves out all rows of the
// same model and quantization, on every board. For the Orin Nano, leaves out all rows of the model.
// Throws UsageError if no row can be used.
LlmScores score_llm(const std::vector<std::string>& paths);
// Returns the rows of all files. Throws UsageError if no row can be used.
llm::EngineRows load_llm_rows(const std::vector<std::string>& paths);

}  // namespace ridgewatt::evaluate
