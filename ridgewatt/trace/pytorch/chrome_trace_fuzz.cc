// Fuzz target: any bytes, read as events of a Chrome trace, end in a result or in an InputError.
#include <cstddef>
#include <cstdint>
#include <string>

#include "ridgewatt/base/error.h"
#include "ridgewatt/trace/layer_trace.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ridgewatt;
  const std::string text =
      "{\"traceEvents\": [" + std::string(reinterpret_cast<const char*>(data), size);
  try {
    trace::parse_layer_trace(text, "fuzz");
  } catch (const InputError&) {
    return 0;
  }
  return 0;
}
