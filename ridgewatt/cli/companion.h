// Finds and starts the programs ridgewatt-serve and ridgewatt-lab, which implement some commands of
// `ridgewatt`. They are in the folder of `ridgewatt` or, after an installation, in
// ../libexec/ridgewatt.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ridgewatt::cli {

// Returns the path of the running program.
std::filesystem::path own_program();
// Returns the path of the program with this name; empty if it does not exist.
std::filesystem::path find_companion(const std::string& name);
// Replaces this process by that program. Throws NotSupportedError with the advice `remedy` if the
// program does not exist.
[[noreturn]] void become(const std::string& name, const std::vector<std::string>& arguments,
                         const std::string& remedy);

}  // namespace ridgewatt::cli
