// Parses any text as a programs file. Either an error is thrown, or the programs are valid.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "ridgewatt/base/error.h"
#include "ridgewatt/schedule/live_programs.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const auto programs = ridgewatt::schedule::parse_live_programs(text, "fuzz");
    if (programs.inference.empty()) std::abort();
    for (const auto& entry : programs.inference) {
      if (!(entry.max_latency_s > 0) || !std::isfinite(entry.max_latency_s)) std::abort();
      if (entry.name.empty() || entry.sweep.empty() == entry.model.empty()) std::abort();
    }
  } catch (const ridgewatt::Error&) {
  }
  return 0;
}
