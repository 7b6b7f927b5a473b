// Parses any bytes as clock counters of the kernel: no crash, and the times can be added.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "ridgewatt/platform/clock_times.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto& seconds : {ridgewatt::platform::parse_time_in_state(text),
                              ridgewatt::platform::parse_trans_stat(text)}) {
    if (!seconds) continue;
    for (const auto& [clock_hz, time_s] : *seconds) {
      if (!(clock_hz >= 0 && time_s >= 0 && std::isfinite(time_s))) std::abort();
    }
  }
  return 0;
}
