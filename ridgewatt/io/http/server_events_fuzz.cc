// Parses any bytes as server-sent events, in one piece and byte by byte. Both give the same events.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "ridgewatt/base/error.h"
#include "ridgewatt/io/http_stream.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<std::string> whole, parts;
  try {
    ridgewatt::ServerEvents events;
    events.add(text, [&](const std::string& event) { whole.push_back(event); });
    ridgewatt::ServerEvents again;
    for (const char c : text) {
      again.add({&c, 1}, [&](const std::string& event) { parts.push_back(event); });
    }
  } catch (const ridgewatt::InputError&) {
    return 0;
  }
  if (whole != parts) std::abort();
  return 0;
}
