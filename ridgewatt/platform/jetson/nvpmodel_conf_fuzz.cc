// Parses any bytes as an nvpmodel.conf: no crash, no hang, and only exceptions of type Error.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ridgewatt/base/error.h"
#include "ridgewatt/platform/nvpmodel_conf.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto conf = ridgewatt::platform::parse_nvpmodel_conf(
        {reinterpret_cast<const char*>(data), size}, "fuzz");
    for (const auto& mode : conf.modes) ridgewatt::platform::limits_of(conf, mode);
    ridgewatt::platform::power_model_section(conf, {4, 1e9, 1e9, 1e9, ""}, 999999, "FUZZ");
  } catch (const ridgewatt::Error&) {
  }
  return 0;
}
