#include "ridgewatt/base/enum_names.h"

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/suggest.h"
#include "ridgewatt/base/text.h"

namespace ridgewatt {

std::string joined_names(const std::vector<std::string>& names) {
  std::string all;
  for (const auto& name : names) all += (all.empty() ? "" : ", ") + name;
  return all;
}

void throw_unknown_name(const std::string& what, std::string_view text,
                        const std::vector<std::string>& names) {
  throw UsageError("unknown " + what, "'" + escape_terminal(text) + "'", hint_for(text, {names}));
}

}  // namespace ridgewatt
