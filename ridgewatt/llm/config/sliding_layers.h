// Determines which layers of a language model attend only to a sliding window, by one rule for each
// family, for all file formats.
#pragma once

#include <cstdint>
#include <vector>

#include "ridgewatt/llm/description.h"

namespace ridgewatt::llm {

// What a file states. The family determines the rest.
struct StatedWindow {
  std::int64_t window = 0;  // in tokens; 0: not stated
  bool switched_off = false;
  std::vector<bool> layers = {};  // per layer; empty: not stated
  std::int64_t period = 0;  // the last layer of each period attends to all tokens; 0: not stated
  std::int64_t first = 0;   // layers with lower numbers attend to all tokens
};

// Sets `window` and `sliding` of `numbers` by the SlidingRule of its family. The family and the
// number of layers must be set.
void set_sliding_layers(const StatedWindow& stated, Numbers& numbers);

}  // namespace ridgewatt::llm
