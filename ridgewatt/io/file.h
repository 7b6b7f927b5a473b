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

// Replaces the whole file `path`: writes an unnamed file in the same folder, syncs it and renames
// it over `path`. After a crash or a signal there is the old file or the new one and nothing else.
// An existing file keeps its mode and owner. Throws PermissionError or IoError and leaves nothing
// behind. For files of the program itself; use write_output for files that a user names.
void write_file_atomically(const std::string& path, std::string_view content);

// Writes a result to the place that the user named:
//   "-", /dev/stdout, /dev/fd/N  written to that descriptor;
//   a link                       its target is written;
//   a FIFO or character device   opened and written, never replaced;
//   a file or a new name         write_file_atomically; under sudo a new file belongs to the user.
// Throws NotFoundError (no such folder), PermissionError, InputError (a folder, a block device, a
// socket, an empty name) or IoError.
void write_output(const std::string& path, std::string_view content);

// Opens descriptors 0 to 2 where the caller left them closed, so that no file of ours becomes the
// standard output of a later print. Call it first in main.
void keep_standard_descriptors();

}  // namespace ridgewatt
