// Words that people type in place of the name of an option, with the option that they mean.
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
  std::string_view word;    // what people type: "fps"
  std::string_view option;  // the option's name: "arrival-rate"
  std::string_view value = "";
};

// Returns all words. A word may have several options; if a command has more than one of them, the
// first row applies.
std::span<const OptionWord> option_words();

// Returns the words whose option is one of `options`. Options may be written as on the command line
// ("--max-power") or as in Python ("max_power_w"); the synonyms then contain the names in the same
// form.
std::vector<Synonym> option_synonyms(const std::vector<std::string>& options);

}  // namespace ridgewatt
