// Parses any bytes as a mode journal: no crash, no hang, and values only from a valid journal.
// Writing and reading these values again gives the same result.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "ridgewatt/platform/mode_journal.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string boot = "3f";
  const auto journal =
      ridgewatt::platform::parse_mode_journal({reinterpret_cast<const char*>(data), size}, boot);
  if (journal.answer != ridgewatt::platform::JournalAnswer::kSound) {
    if (!journal.snapshot.empty()) std::abort();
    return 0;
  }
  const auto again = ridgewatt::platform::parse_mode_journal(
      ridgewatt::platform::mode_journal_text(journal.snapshot, boot), boot);
  if (again.answer != journal.answer || again.snapshot != journal.snapshot) std::abort();
  return 0;
}
