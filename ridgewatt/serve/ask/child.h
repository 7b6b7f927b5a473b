// The program, asked in a process of its own: nothing of the server is open in it but the uploads
// of the question, and it ends with its time, with its client and with the server.
//
//   const AskedResult said = ask_child({program, "zoo", "list"}, {}, {.time_s = 5}, [] { return
//   true; });
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "ridgewatt/base/process.h"

namespace ridgewatt::serve {

struct ChildLimits {
  double time_s = 20;
  std::size_t output_bytes = std::size_t{64} << 20;
};

struct AskedResult : ChildResult {
  std::string last_line = {};  // of standard error, without "ridgewatt: "
};

// `descriptors` become 3, 4, .. of the child. `wanted` is asked about every 20 ms; false ends the
// child. Throws IoError, NotFoundError for a program that cannot be started.
AskedResult ask_child(const std::vector<std::string>& words, const std::vector<int>& descriptors,
                      const ChildLimits& limits, const std::function<bool()>& wanted);

}  // namespace ridgewatt::serve
