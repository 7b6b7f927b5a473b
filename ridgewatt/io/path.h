// Parent folders of paths. std::filesystem returns an empty parent for a bare file name, and most
// of its functions reject that; use these functions instead.
#pragma once

#include <string>

namespace ridgewatt {

// The folder that contains a file; "." for a bare name.
std::string folder_of(const std::string& path);
// The absolute path; an empty path stays empty.
std::string absolute_path(const std::string& path);

}  // namespace ridgewatt
