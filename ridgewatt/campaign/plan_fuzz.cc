// Reads arbitrary bytes as the plan of a campaign. The reader must not crash or hang, and may only
// throw InputError. A plan that is read and written must read back as the same plan.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "ridgewatt/base/error.h"
#include "ridgewatt/campaign/plan.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const std::string written =
        ridgewatt::campaign::plan_json(ridgewatt::campaign::parse_plan(text, "fuzz"));
    const auto again = ridgewatt::campaign::parse_plan(written, "fuzz");
    if (ridgewatt::campaign::plan_json(again) != written) std::abort();
  } catch (const ridgewatt::InputError&) {
  }
  return 0;
}
