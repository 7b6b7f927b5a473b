// The quick question of a language model: which boards hold it, in which quantization.
//
//   const FitsAnswer found = fits_on_boards({.model = "zoo:llama-3.1-8b", .device = "all"});
//   found.rows.front().fits();
//
// Only headers are read (llm/language_model.h), and nothing is run. Throws what reading models and
// boards throws, and UsageError for a quantization that cannot be predicted for the model.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/llm/fits.h"
#include "ridgewatt/llm/language_model.h"

namespace ridgewatt::answer {

struct FitsQuestion {
  std::string model = {};         // what read_language_model() takes
  std::string device = {};        // a board, a board file, or all
  std::string quantization = {};  // stored, names with commas, or all; empty: stored, or q4_k_m
  llm::FitsOptions options = {};  // without its quantizations
};

struct FitsAnswer {
  llm::LanguageModel model;  // its remarks include those about the question
  llm::FitsOptions options;
  std::vector<llm::Fit> rows;  // of each board, one per quantization
};

FitsAnswer fits_on_boards(const FitsQuestion& question);

}  // namespace ridgewatt::answer
