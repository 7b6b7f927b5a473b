// Reads any bytes as a list of boards. They must not crash or hang the reader, and InputError is
// the only exception. A list that is read has all fields that the question needs.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "ridgewatt/answer/federated.h"
#include "ridgewatt/base/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    for (const auto& board : ridgewatt::answer::parse_federated_boards(text, "fuzz")) {
      if (board.name.empty() || board.device.empty() || !(board.samples >= 1)) std::abort();
      if (!(board.upload_s >= 0) || !(board.upload_j >= 0)) std::abort();
    }
  } catch (const ridgewatt::InputError&) {
  }
  try {
    ridgewatt::answer::parse_federated_board(text);
  } catch (const ridgewatt::UsageError&) {
  }
  return 0;
}
