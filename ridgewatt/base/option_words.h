// What people type for options: other words with the option that they mean.
//
//   hint_for("--fps", {options, option_synonyms(options)});   // "did you mean --arrival-rate?"
//   hint_for("--fp16", {options, option_synonyms(options)});  // "did you mean --precision fp16?"
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/base/suggest.h"

namespace ridgewatt {

struct OptionWord {
  std::string_view word;    // "fps"
  std::string_view option;  // "arrival-rate"
  std::string_view value = "";
};

// All words. One word may mean different options; where a command has several of them, the first
// row counts.
std::span<const OptionWord> option_words();

// The words whose option is one of `options`, which are written as on the command line
// ("--max-power") or as in Python ("max_power_w"); so are the names of the synonyms.
std::vector<Synonym> option_synonyms(const std::vector<std::string>& options);

}  // namespace ridgewatt
