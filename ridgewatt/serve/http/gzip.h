// Compresses bytes for Content-Encoding: gzip.
#pragma once

#include <string>
#include <string_view>

namespace ridgewatt::serve {

// `level` is from 1 (fast) to 9 (small). Throws IoError if compression fails.
std::string gzip(std::string_view bytes, int level);

// Compresses quickly. Returns empty if `bytes` is too short to benefit.
std::string gzip_worthwhile(std::string_view bytes);

}  // namespace ridgewatt::serve
