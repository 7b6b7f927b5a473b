// Registers the files that this process has read as inputs, by device and inode, so that no result
// overwrites one of them. A symbolic or hard link counts as the same file.
//
//   note_input(file.get());   // a reader, once its file is open
//   refuse_input(path);       // a command, before it replaces `path`
//
// The register belongs to the process, because a reader does not know which results a command
// writes. Empty files are not registered: there is nothing to lose, and files of /proc are among
// them.
#pragma once

#include <string>

namespace ridgewatt {

void note_input(int fd);
// The same for a file that a library opens; names without a file are ignored.
void note_input(const std::string& path);
// Throws UsageError if `path` leads to a registered file.
void refuse_input(const std::string& path);

}  // namespace ridgewatt
