#include "ridgewatt/device/preset_text.h"

#include <utility>

namespace ridgewatt {
namespace {

std::string_view without_mode(std::string_view name) {
  constexpr std::string_view kMode = "MODE_";
  const bool long_form =
      name.size() > kMode.size() && same_word(name.substr(0, kMode.size()), kMode);
  return long_form ? name.substr(kMode.size()) : name;
}

bool is_name(std::string_view name, std::string_view wanted) {
  return same_word(name, wanted);
}

bool is_short_name(std::string_view name, std::string_view wanted) {
  return same_word(without_mode(name), without_mode(wanted));
}

// Matches "30W" to "MODE_30W_ALL".
bool begins_so(std::string_view name, std::string_view wanted) {
  const std::string_view whole = without_mode(name), part = without_mode(wanted);
  return !part.empty() && whole.size() > part.size() && whole[part.size()] == '_' &&
         same_word(whole.substr(0, part.size()), part);
}

}  // namespace

std::vector<std::size_t> presets_meant(const std::vector<std::string>& names,
                                       std::string_view text) {
  std::vector<std::size_t> meant;
  for (const auto fits : {is_name, is_short_name, begins_so}) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (fits(names[i], text)) meant.push_back(i);
    }
    if (!meant.empty()) break;
  }
  return meant;
}

NameSet preset_name_set(std::vector<std::string> names) {
  NameSet set{std::move(names)};
  for (const auto& name : set.names)
    set.synonyms.push_back({std::string(without_mode(name)), name});
  return set;
}

}  // namespace ridgewatt
