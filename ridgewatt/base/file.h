// Files, read with a bound and written so that a crash leaves the old file or the new one, never
// half of it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ridgewatt {

inline constexpr std::size_t kDefaultFileLimitBytes = std::size_t{1} << 30;

// The whole file. Throws NotFoundError, PermissionError, IoError, or InputError when the file is
// larger than `limit_bytes` or is a directory.
std::string read_file(const std::string& path, std::size_t limit_bytes = kDefaultFileLimitBytes);

// Writes `content` to a temporary file beside `path`, syncs it and renames it over `path`.
// Throws PermissionError or IoError and leaves nothing behind.
void write_file_atomically(const std::string& path, std::string_view content);

}  // namespace ridgewatt
