// Runs the program in a child process. The child has no open descriptors of the server except the
// uploads of its question. It ends when its time is over, its client disconnects or the server
// ends.
//
//   const AskedResult result =
//       ask_child({program, "zoo", "list"}, {}, {.time_s = 5}, [] { return true; });
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
  std::string last_line = {};  // last line of standard error, without "ridgewatt: "
};

// Runs the command `words`. `descriptors` become the descriptors 3, 4, .. of the child. `wanted` is
// called about every 20 ms; if it returns false, the child is ended. Throws IoError, or
// NotFoundError if the program cannot be started.
AskedResult ask_child(const std::vector<std::string>& words, const std::vector<int>& descriptors,
                      const ChildLimits& limits, const std::function<bool()>& wanted);

}  // namespace ridgewatt::serve
