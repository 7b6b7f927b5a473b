// Parses any bytes as the result of a run: no crash, no hang, and no exception except InputError.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ridgewatt/base/error.h"
#include "ridgewatt/measure/token_runs.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto runs = ridgewatt::measure::parse_token_runs(
        std::string_view(reinterpret_cast<const char*>(data), size), "fuzz");
    ridgewatt::measure::with_joined_phases(runs);
  } catch (const ridgewatt::InputError&) {
  }
  return 0;
}
