// Files that the build puts into the library (board files, chart code): see cmake/Embed.cmake.
#pragma once

#include <span>
#include <string_view>

namespace ridgewatt {

struct EmbeddedFile {
  std::string_view name;     // base name of the file
  std::string_view content;  // its bytes
};

}  // namespace ridgewatt
