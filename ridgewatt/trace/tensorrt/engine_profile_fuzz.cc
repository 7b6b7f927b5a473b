// Fuzz target: any bytes, read as each of trtexec's files, end in a result or in an InputError.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ridgewatt/base/error.h"
#include "ridgewatt/trace/engine_layers.h"
#include "ridgewatt/trace/engine_times.h"
#include "ridgewatt/trace/layer_trace.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ridgewatt;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto survive = [](const auto& read) {
    try {
      read();
    } catch (const InputError&) {
      return;
    }
  };
  survive([&] { trace::parse_layer_trace(text, "fuzz"); });
  survive([&] { trace::parse_engine_layers(text, "fuzz"); });
  survive([&] { trace::parse_engine_times(text, "fuzz"); });
  return 0;
}
