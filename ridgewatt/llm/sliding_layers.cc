#include "ridgewatt/llm/sliding_layers.h"

#include <algorithm>
#include <array>

namespace ridgewatt::llm {
namespace {

constexpr std::int64_t kMostSlidingLayers = 1024;  // describe() refuses more

struct WindowRule {
  Family family;
  std::int64_t window;  // where none is stated; 0: none
  std::int64_t period;  // 0: all layers slide
};
constexpr std::array kWindowRules = std::to_array<WindowRule>({
    {Family::kGemma2, 4096, 2},
    {Family::kGemma3, 4096, 6},
    {Family::kGptOss, 0, 2},
});

WindowRule window_rule(Family family) {
  for (const WindowRule& rule : kWindowRules) {
    if (rule.family == family) return rule;
  }
  return {family, 0, 0};
}

}  // namespace

void set_sliding_layers(const StatedWindow& stated, Numbers& numbers) {
  const WindowRule rule = window_rule(numbers.family);
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
