// Programs of Ridgewatt that hold what few commands need: ridgewatt-serve and ridgewatt-lab. They
// are next to `ridgewatt`, or in ../libexec/ridgewatt of an installed copy.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ridgewatt::cli {

// This program.
std::filesystem::path own_program();
// The program of that name; empty where it was not built.
std::filesystem::path find_companion(const std::string& name);
// This process becomes that program. NotSupportedError with `remedy` where it was not built.
[[noreturn]] void become(const std::string& name, const std::vector<std::string>& arguments,
                         const std::string& remedy);

}  // namespace ridgewatt::cli
