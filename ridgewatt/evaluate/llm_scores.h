// How well engines of language models are predicted without what is asked for: every (model,
// quantization) from the other rows of its engine.
//
//   const LlmScores scores = score_llm({"llm-agx-orin-32gb.csv", "llm-boards.csv"});
//   scores.totals[0].step_error;  // median of |predicted / measured - 1|
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ridgewatt/llm/engine_rows.h"

namespace ridgewatt::evaluate {

// Cells that are judged together; medians of |predicted / measured - 1|, NaN: of none.
struct LlmGroup {
  std::string engine, board, mode, model, quantization;  // empty: all
  std::size_t cells = 0;
  std::size_t learned_from = 0;  // fewest cells of the engine that were left
  double step_error = 0;         // of the time per token
  double step_bias = 0;          // median of predicted / measured - 1
  double prompt_error = 0;       // of the time to the first token
  double power_error = 0;        // of the power of decode
};

struct LlmScores {
  llm::EngineRows rows;
  std::vector<LlmGroup> groups;   // by engine, board, mode, model and quantization
  std::vector<LlmGroup> engines;  // by engine, board and mode
  std::vector<LlmGroup> totals;   // by board and mode
};

// On the boards that are fitted to, rows of the same model and quantization are left out wherever
// they were measured; on the Orin Nano all rows of the model. UsageError where no row can be used.
LlmScores score_llm(const std::vector<std::string>& paths);

}  // namespace ridgewatt::evaluate
