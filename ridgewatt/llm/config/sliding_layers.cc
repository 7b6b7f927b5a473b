#include "ridgewatt/llm/config/sliding_layers.h"

namespace ridgewatt::llm {
namespace {

constexpr std::int64_t kMostSlidingLayers = 1024;  // describe() refuses more

}  // namespace

void set_sliding_layers(const StatedWindow& stated, Numbers& numbers) {
  const SlidingRule& rule = family_row(numbers.family).sliding;
  numbers.window = stated.window != 0 ? stated.window : rule.window;
  numbers.sliding.clear();
  if (stated.switched_off) numbers.window = 0;
  if (numbers.window == 0 || numbers.layers > kMostSlidingLayers) return;
  const std::int64_t period = stated.period > 0 ? stated.period : rule.period;
  for (std::int64_t i = 0; i < numbers.layers; ++i) {
    const auto at = static_cast<std::size_t>(i);
    numbers.sliding.push_back(!stated.layers.empty()
                                  ? at < stated.layers.size() && stated.layers[at]
                              : period > 0 ? (i + 1) % period != 0
                                           : i >= stated.first);
  }
}

}  // namespace ridgewatt::llm
