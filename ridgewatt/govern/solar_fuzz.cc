// Parses any bytes as solar power over a day. No crash, no hang, and InputError is the only
// exception. A parsed file can be used as a supply.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "ridgewatt/base/error.h"
#include "ridgewatt/govern/jobs.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const auto solar_w = ridgewatt::govern::parse_solar(text, "fuzz");
    const double held_w = ridgewatt::govern::held_power_w({.energy_j = 1e6, .solar_w = solar_w});
    if (!(held_w >= 0)) std::abort();
  } catch (const ridgewatt::InputError&) {
  }
  return 0;
}
