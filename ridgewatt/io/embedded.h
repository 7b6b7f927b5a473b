// Files that the build embeds in the library, such as board files and chart code
// (cmake/Embed.cmake).
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ridgewatt {

struct EmbeddedFile {
  std::string_view name;     // base name of the file
  std::string_view content;  // bytes of the file, or of its gzip form
};

// Decompresses a file in gzip format.
std::string unpacked(std::string_view gzip);

namespace embedded {

std::span<const EmbeddedFile> boards();     // boards/*.toml in gzip format
std::span<const EmbeddedFile> engines();    // engines/*.toml in gzip format
std::span<const EmbeddedFile> studies();    // studies/*.toml in gzip format
std::span<const EmbeddedFile> published();  // studies/published/*.csv in gzip format
std::span<const EmbeddedFile> web();        // style and scripts of HTML reports
std::span<const EmbeddedFile> app();        // the web application; only in the server

}  // namespace embedded
}  // namespace ridgewatt
