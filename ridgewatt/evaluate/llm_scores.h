// Scores of predicted engines of language models: every (model, quantization) is predicted from the
// other rows of its engine and from the other engines.
//
//   const LlmScores scores = score_llm({"llm-agx-orin-32gb.csv", "llm-boards.csv"});
//   scores.totals[0].step.error;   // median of |predicted / measured - 1|
//   scores.totals[0].step.inside;  // share of cells within their 90 % interval
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ridgewatt/llm/engine_rows.h"

namespace ridgewatt::evaluate {

// One figure over some cells. NaN: no cells.
struct LlmFigureScore {
  double error = 0;   // median of |predicted / measured - 1|
  double bias = 0;    // median of predicted / measured - 1
  double inside = 0;  // share within the interval, whose width comes from other engines
};

// Cells that are scored together.
struct LlmGroup {
  std::string engine, board, mode, model, quantization;  // empty: all
  std::size_t cells = 0;
  std::size_t learned_from = 0;  // lowest number of remaining cells of the engine
  LlmFigureScore step;           // time per token
  LlmFigureScore prompt;         // time to the first token
  LlmFigureScore decode_power, prefill_power;
};

// How the time per token grows with the tokens in the cache, relative to the time that reading
// their bytes takes at the peak DRAM bandwidth: least squares over the cells of one model.
struct LlmSlope {
  std::string engine, model, quantization;
  std::size_t cells = 0;
  double measured = 0;            // over prompts and generations
  double measured_generated = 0;  // at one prompt, over generations only
  double predicted = 0;           // without these cells
  // share of the predicted step in which the host is busy; 1: the host is the limit
  double host_share = 0;
};

// A row that is only scored, with parameters that were fitted to all other rows.
struct LlmJudged {
  std::string engine, board, mode, model, quantization;
  std::string figure;  // "token (ms)", "request (s)", "GPU and CPU (mJ/token)"
  double measured = 0, predicted = 0, low = 0, high = 0;
};

struct LlmScores {
  llm::EngineRows rows;
  std::vector<LlmGroup> groups;   // by engine, board, mode, model and quantization
  std::vector<LlmGroup> engines;  // by engine, board and mode
  std::vector<LlmGroup> totals;   // by board and mode
  std::vector<LlmSlope> slopes;   // where context lengths differ
  std::vector<LlmJudged> judged;
};

// On boards that are used in the fit, rows of the same model and quantization are left out wherever
// they were measured; on the Orin Nano all rows of the model. Throws UsageError if no row can be
// used.
LlmScores score_llm(const std::vector<std::string>& paths);
// The rows of all files. Throws UsageError if none can be used.
llm::EngineRows load_llm_rows(const std::vector<std::string>& paths);

}  // namespace ridgewatt::evaluate
