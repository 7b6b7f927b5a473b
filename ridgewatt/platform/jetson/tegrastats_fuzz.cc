// Parses any bytes as a tegrastats log: no crash, no hang, and InputError is the only exception.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ridgewatt/base/error.h"
#include "ridgewatt/platform/tegrastats.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    ridgewatt::platform::parse_tegrastats({reinterpret_cast<const char*>(data), size}, "fuzz");
  } catch (const ridgewatt::InputError&) {
  }
  return 0;
}
