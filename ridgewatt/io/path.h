// Parent folders and absolute paths. Unlike std::filesystem, they handle bare file names and empty
// paths.
#pragma once

#include <string>
#include <string_view>

namespace ridgewatt {

// The last part of a path, after its last slash.
std::string file_name(std::string_view path);
// The folder that contains a file; "." for a bare name.
std::string folder_of(const std::string& path);
// The absolute path; an empty path remains empty.
std::string absolute_path(const std::string& path);
// Returns whether the path names an open descriptor, such as /dev/fd/3, and not a file.
bool is_descriptor(const std::string& path);

}  // namespace ridgewatt
