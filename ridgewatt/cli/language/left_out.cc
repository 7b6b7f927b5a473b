#include "ridgewatt/cli/language/left_out.h"

#include <fmt/format.h>

#include <algorithm>

namespace ridgewatt::cli {

void say_left_out(const Context& context, const answer::LanguageAnswer& found) {
  constexpr std::size_t kMostListed = 3;
  if (context.json()) return;
  std::vector<std::string> reasons;
  for (const auto& [what, reason] : found.left_out) {
    if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end()) {
      reasons.push_back(reason);
    }
  }
  for (std::size_t i = 0; i < std::min(kMostListed, reasons.size()); ++i) {
    remark(context, "left out: " + reasons[i]);
  }
  if (reasons.size() > kMostListed) {
    remark(context, fmt::format("also left out: {} more (--format json lists them)",
                                reasons.size() - kMostListed));
  }
}

}  // namespace ridgewatt::cli
