// Fuzz target: any bytes as a heat trace and as a file of thermal constants cause no crash, no hang
// and no exception other than Error.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ridgewatt/base/error.h"
#include "ridgewatt/thermal/heat_trace.h"
#include "ridgewatt/thermal/thermal_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    ridgewatt::thermal::parse_heat_trace(text, "fuzz");
  } catch (const ridgewatt::Error&) {
  }
  try {
    ridgewatt::thermal::parse_thermal_file(text, "fuzz");
  } catch (const ridgewatt::Error&) {
  }
  return 0;
}
