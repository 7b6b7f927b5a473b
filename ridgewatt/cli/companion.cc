#include "ridgewatt/cli/companion.h"

#include <unistd.h>

#include <cerrno>

#include "ridgewatt/base/error.h"
#include "ridgewatt/io/path.h"

namespace ridgewatt::cli {

namespace fs = std::filesystem;

fs::path own_program() {
  return fs::read_symlink("/proc/self/exe");
}

fs::path find_companion(const std::string& name) {
  const fs::path folder = folder_of(own_program());
  for (const fs::path& place :
       {folder / name, fs::path(folder_of(folder)) / "libexec" / "ridgewatt" / name}) {
    if (fs::exists(place)) return place;
  }
  return {};
}

void become(const std::string& name, const std::vector<std::string>& arguments,
            const std::string& remedy) {
  const fs::path program = find_companion(name);
  if (program.empty()) throw NotSupportedError("this installation lacks the program", name, remedy);
  std::vector<char*> words = {const_cast<char*>(program.c_str())};
  for (const auto& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  ::execv(program.c_str(), words.data());
  throw_errno(errno, "cannot start", program.string());
}

}  // namespace ridgewatt::cli
