// Folders of paths. std::filesystem gives a bare name the empty parent, which most of its functions
// refuse: take these instead.
#pragma once

#include <string>

namespace ridgewatt {

// The folder that a file lies in; "." for a bare name.
std::string folder_of(const std::string& path);
// The path from the root of the file system on; an empty one stays empty.
std::string absolute_path(const std::string& path);

}  // namespace ridgewatt
