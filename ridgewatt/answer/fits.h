// Which boards have enough memory for a language model, in which quantization.
//
//   const FitsAnswer found = fits_on_boards({.model = "zoo:llama-3.1-8b", .device = "all"});
//   found.rows.front().fits();
//
// Reads only the headers of model files (llm/language_model.h) and runs nothing. Throws the errors
// of reading models and boards, and UsageError for a quantization whose size cannot be predicted
// for this model.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/llm/fits.h"
#include "ridgewatt/llm/language_model.h"

namespace ridgewatt::answer {

struct FitsQuestion {
  std::string model = {};   // see llm::read_language_model()
  std::string device = {};  // board, board file or "all"
  // "stored", "all", or names separated by commas. Empty: "stored" if the model has stored weights,
  // otherwise "q4_k_m".
  std::string quantization = {};
  llm::FitsOptions options = {};  // its `quantizations` are ignored
};

struct FitsAnswer {
  llm::LanguageModel model;  // its remarks include remarks about the question
  llm::FitsOptions options;
  std::vector<llm::Fit> rows;  // sorted by board, then quantization
};

FitsAnswer fits_on_boards(const FitsQuestion& question);

}  // namespace ridgewatt::answer
