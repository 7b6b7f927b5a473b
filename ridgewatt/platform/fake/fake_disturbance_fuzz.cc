// Parses any bytes as a table of disturbances: an error, or factors within their limits; no crash.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "ridgewatt/base/error.h"
#include "ridgewatt/platform/fake_disturbance.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    for (const auto& one : ridgewatt::platform::parse_fake_disturbances(text, "input")) {
      const bool good = one.time >= 0.1 && one.time <= 10 && one.power >= 0.1 && one.power <= 10 &&
                        one.begin_s >= 0 && one.celsius >= -200 && one.celsius <= 200;
      if (!good) std::abort();
    }
  } catch (const ridgewatt::Error&) {
    return 0;
  }
  return 0;
}
