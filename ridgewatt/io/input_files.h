// The files that this process has read as inputs, by device and inode, so that no result replaces
// one of them, whatever its name: a symbolic or hard link is the same file.
//
//   note_input(file.get());   // a reader, once its file is open
//   refuse_input(path);       // a command, before it replaces `path`
//
// The register belongs to the process, as its open files do: a reader knows nothing of the results
// that a command writes. Files without content are not noted: they have nothing to lose, and those
// of /proc are among them.
#pragma once

#include <string>

namespace ridgewatt {

void note_input(int fd);
// The same of a file that a library opens; a name without a file is passed over.
void note_input(const std::string& path);
// Throws UsageError where `path` leads to a noted file.
void refuse_input(const std::string& path);

}  // namespace ridgewatt
