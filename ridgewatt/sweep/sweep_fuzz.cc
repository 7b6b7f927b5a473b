// Fuzz target: any bytes as the CSV of a sweep cause no crash, no hang and no exception but Error.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ridgewatt/base/error.h"
#include "ridgewatt/sweep/quality.h"
#include "ridgewatt/sweep/sweep.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    for (const ridgewatt::Sweep& sweep : ridgewatt::parse_sweeps(text, "fuzz")) {
      ridgewatt::check_quality(sweep);
    }
  } catch (const ridgewatt::Error&) {
  }
  return 0;
}
