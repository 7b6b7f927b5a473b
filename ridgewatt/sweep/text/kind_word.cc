#include "ridgewatt/sweep/kind_word.h"

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/suggest.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/base/workload_kind.h"

namespace ridgewatt {

std::string kind_meant(std::string_view word, const std::string& where) {
  if (const auto kind = find_word<WorkloadKind>(word)) return std::string(name_of(*kind));
  const std::string hint = did_you_mean(word, name_set<WorkloadKind>());
  if (!hint.empty() || parse_double(word)) {
    throw InputError("'" + escape_terminal(word.substr(0, 40)) + "' is not a kind of workload",
                     where, hint.empty() ? "write a word, such as inference or training" : hint);
  }
  return std::string(word);
}

}  // namespace ridgewatt
