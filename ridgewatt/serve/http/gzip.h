// Bytes packed for Content-Encoding: gzip.
#pragma once

#include <string>
#include <string_view>

namespace ridgewatt::serve {

// Level 1 (quick) to 9 (small).
std::string gzip(std::string_view bytes, int level);

// Packed quickly; empty for what is short anyway.
std::string gzip_worthwhile(std::string_view bytes);

}  // namespace ridgewatt::serve
