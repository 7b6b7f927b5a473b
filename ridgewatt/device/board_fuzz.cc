// Parses any bytes as a board file: no crash, no hang, and no exception except Error.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ridgewatt/base/error.h"
#include "ridgewatt/device/board.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    ridgewatt::knob_space(ridgewatt::parse_board(text, "fuzz"));
  } catch (const ridgewatt::Error&) {
  }
  return 0;
}
