#include "ridgewatt/serve/ask/child.h"

#include <string_view>
#include <utility>

namespace ridgewatt::serve {
namespace {

std::string last_line_of(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  const auto begin = text.rfind('\n');
  if (begin != std::string::npos) text.erase(0, begin + 1);
  static constexpr std::string_view kName = "ridgewatt: ";
  if (text.starts_with(kName)) text.erase(0, kName.size());
  return text;
}

}  // namespace

AskedResult ask_child(const std::vector<std::string>& words, const std::vector<int>& descriptors,
                      const ChildLimits& limits, const std::function<bool()>& wanted) {
  AskedResult result{
      run_child({.words = words, .group = ChildGroup::kOwn, .sealed = descriptors},
                {.time_s = limits.time_s, .output_bytes = limits.output_bytes, .wanted = wanted})};
  result.last_line = last_line_of(std::move(result.errors));
  return result;
}

}  // namespace ridgewatt::serve
