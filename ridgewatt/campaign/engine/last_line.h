// What a log says in the end.
#pragma once

#include <string>

namespace ridgewatt::campaign {

// The last line that is not empty, at most 300 bytes of it; empty when there is no such file.
std::string last_line(const std::string& path);

}  // namespace ridgewatt::campaign
