// Names of presets as people write them, for a board file and for a board's own nvpmodel.conf.
//
//   presets_meant({"MAXN", "MODE_30W"}, "30w");                       // {1}
//   presets_meant({"MODE_30W_ALL", "MODE_30W_2CORE"}, "30W");         // {0, 1}: ambiguous
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/base/suggest.h"

namespace ridgewatt {

// Returns the positions of the names that `text` means. Case, separators and the prefix "MODE_" do
// not matter. A complete name takes precedence; otherwise "30W" also means "MODE_30W_ALL".
std::vector<std::size_t> presets_meant(const std::vector<std::string>& names,
                                       std::string_view text);
// Returns the names, with the forms without "MODE_" as synonyms, for hint_for().
NameSet preset_name_set(std::vector<std::string> names);

}  // namespace ridgewatt
