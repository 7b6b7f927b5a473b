// Which layers of a language model look back over a window alone: one rule for each family,
// whichever file the model comes from.
#pragma once

#include <cstdint>
#include <vector>

#include "ridgewatt/llm/description.h"

namespace ridgewatt::llm {

// What a file states. What it leaves out follows from the family.
struct StatedWindow {
  std::int64_t window = 0;  // tokens; 0: not stated
  bool switched_off = false;
  std::vector<bool> layers = {};  // one per layer; empty: not stated
  std::int64_t period = 0;        // the last layer of each period sees all tokens; 0: not stated
  std::int64_t first = 0;         // layers before this one see all tokens
};

// Sets window and sliding of `numbers`, whose family and layers are set, by the family's
// SlidingRule.
void set_sliding_layers(const StatedWindow& stated, Numbers& numbers);

}  // namespace ridgewatt::llm
