// Feeds any bytes in pieces of any size. No crash, bounded memory, and each message parsed from a
// line is within its limits.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "ridgewatt/schedule/protocol.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t piece = 1 + data[0] % 64;
  std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  ridgewatt::schedule::LineBuffer buffer;
  while (!rest.empty()) {
    buffer.feed(rest.substr(0, piece));
    rest.remove_prefix(std::min(piece, rest.size()));
    while (const auto line = buffer.next()) {
      if (line->too_long) continue;
      const auto message = ridgewatt::schedule::parse_worker_message(line->text);
      if (message && message->name.size() > ridgewatt::schedule::kLongestName) std::abort();
      if (message && message->requests.value_or(0) > ridgewatt::schedule::kMostRequests) {
        std::abort();
      }
    }
    if (buffer.buffered() > ridgewatt::schedule::kLongestLine) std::abort();
  }
  return 0;
}
