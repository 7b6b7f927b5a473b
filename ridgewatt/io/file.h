// Reads files up to a size limit, and writes files atomically: after a crash there is the old file
// or the new one, never a part of it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ridgewatt {

inline constexpr std::size_t kDefaultFileLimitBytes = std::size_t{1} << 30;

// Reads a whole file. Throws NotFoundError, PermissionError, IoError, or InputError if the file is
// a folder or larger than `limit_bytes`. The limit for a character device is at most 16 MiB.
std::string read_file(const std::string& path, std::size_t limit_bytes = kDefaultFileLimitBytes);

// Replaces the file `path`: writes an unnamed file in the same folder, syncs it and renames it to
// `path`. An existing file keeps its mode and owner. Throws PermissionError or IoError and leaves
// nothing behind. Use it for files of the program itself, and write_output for files that a user
// names.
void write_file_atomically(const std::string& path, std::string_view content);

// Writes a result to the destination that the user named:
//   "-", /dev/stdout, /dev/fd/N  written to that descriptor;
//   a link                       its target is written;
//   a FIFO or character device   opened and written, never replaced;
//   a file or a new name         write_file_atomically; under sudo a new file belongs to the user.
// Throws NotFoundError (no such folder), PermissionError, InputError (a folder, a block device, a
// socket, an empty name) or IoError.
void write_output(const std::string& path, std::string_view content);

// Opens descriptors 0 to 2 if the caller closed them, so that no file of this program gets the
// descriptor of standard output. Call it first in main.
void keep_standard_descriptors();

}  // namespace ridgewatt
