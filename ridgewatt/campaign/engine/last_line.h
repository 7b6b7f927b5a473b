// Reads the end of a log.
#pragma once

#include <string>

namespace ridgewatt::campaign {

// Returns the last line that is not empty, at most 300 bytes of it. Empty if the file does not
// exist.
std::string last_line(const std::string& path);

}  // namespace ridgewatt::campaign
