// Registers the input files of this process by device, inode and creation time, so that no result
// overwrites one of them. Links to a registered file count as the same file.
//
//   note_input(file.get());   // a reader, once its file is open
//   refuse_input(path);       // a command, before it replaces `path`
//
// The register is global, because a reader does not know which results a command writes. Empty
// files, which include those of /proc, are not registered.
#pragma once

#include <string>

namespace ridgewatt {

void note_input(int fd);
// For a file that another library opens. Ignores names without a file.
void note_input(const std::string& path);
// Throws UsageError if `path` is a registered file.
void refuse_input(const std::string& path);

}  // namespace ridgewatt
