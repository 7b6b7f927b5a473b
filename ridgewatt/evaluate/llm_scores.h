// How well engines of language models are predicted without what is asked for: every (model,
// quantization) from the other rows of its engine and from the other engines.
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

// Of one figure over some cells. NaN: of none.
struct LlmFigureScore {
  double error = 0;   // median of |predicted / measured - 1|
  double bias = 0;    // median of predicted / measured - 1
  double inside = 0;  // share within the interval, whose width other engines gave
};

// Cells that are judged together.
struct LlmGroup {
  std::string engine, board, mode, model, quantization;  // empty: all
  std::size_t cells = 0;
  std::size_t learned_from = 0;  // fewest cells of the engine that were left
  LlmFigureScore step;           // time per token
  LlmFigureScore prompt;         // time to the first token
  LlmFigureScore decode_power, prefill_power;
};

// How the time per token grows with the tokens in the cache, over the time that its bytes take at
// the peak of the DRAM: least squares over the cells of one model.
struct LlmSlope {
  std::string engine, model, quantization;
  std::size_t cells = 0;
  double measured = 0;            // over prompts and generations
  double measured_generated = 0;  // at one prompt, over generations alone
  double predicted = 0;           // without these cells
  double host_share = 0;          // of the predicted step at which the host is busy; 1: it decides
};

// A row that is only judged, by parameters that were fitted to all others.
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
  std::vector<LlmSlope> slopes;   // where contexts differ
  std::vector<LlmJudged> judged;
};

// On the boards that are fitted to, rows of the same model and quantization are left out wherever
// they were measured; on the Orin Nano all rows of the model. UsageError where no row can be used.
LlmScores score_llm(const std::vector<std::string>& paths);
// The rows of all files. UsageError where none can be used.
llm::EngineRows load_llm_rows(const std::vector<std::string>& paths);

}  // namespace ridgewatt::evaluate
