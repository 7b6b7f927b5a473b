// Parses any bytes as TOML: no crash, no hang, and no exception except InputError. The keys of a
// table are in ascending order.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "ridgewatt/base/error.h"
#include "ridgewatt/io/toml.h"

namespace {

void check(const ridgewatt::TomlTable& table) {
  const std::string* last = nullptr;
  for (const auto& [key, node] : table) {
    if (last != nullptr && !(*last < key)) std::abort();
    last = &key;
    if (const auto* inner = node.as<ridgewatt::TomlTable>()) check(*inner);
    for (const auto* inner : node.tables()) check(*inner);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    check(ridgewatt::parse_toml({reinterpret_cast<const char*>(data), size}, "fuzz"));
  } catch (const ridgewatt::InputError&) {
  }
  return 0;
}
