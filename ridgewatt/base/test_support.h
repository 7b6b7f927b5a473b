// For tests only: folders of reference data, temporary folders, running the program.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace ridgewatt::testing {

// Returns the folder of the running test program, which also contains `ridgewatt`.
inline std::filesystem::path build_folder() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path();
}

// Returns the root of the project: the nearest parent folder that contains `dev` and `ridgewatt`.
// Empty if there is none.
inline std::filesystem::path source_folder() {
  auto folder = build_folder();
  while (
      !(std::filesystem::exists(folder / "dev") && std::filesystem::exists(folder / "ridgewatt"))) {
    if (folder == folder.root_path()) return {};
    folder = folder.parent_path();
  }
  return folder;
}

// Returns the folder of the reference data next to the checkout, or $RIDGEWATT_SHARED. Empty if it
// does not exist.
inline std::filesystem::path shared_folder() {
  const char* given = std::getenv("RIDGEWATT_SHARED");
  const std::filesystem::path folder = given != nullptr ? given : source_folder() / ".." / "shared";
  return std::filesystem::exists(folder / "data") ? folder : std::filesystem::path();
}

// The first statement of a test that needs the reference data; skips the test without them.
#define RIDGEWATT_REQUIRE_SHARED()                   \
  if (::ridgewatt::testing::shared_folder().empty()) \
  GTEST_SKIP() << "skipped: ../shared not present"

// A temporary folder that is removed with its content in the destructor.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(
      const std::filesystem::path& parent = std::filesystem::temp_directory_path()) {
    std::string name = (parent / "ridgewatt-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }
  // Writes a file into the folder and returns its path.
  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(path_ / name, std::ios::binary) << content;
    return (path_ / name).string();
  }

 private:
  std::filesystem::path path_;
};

struct ProgramResult {
  int status = 0;      // exit status, or 128 + signal
  std::string output;  // standard output and standard error
};

// Runs `ridgewatt ARGUMENTS` through the shell.
inline ProgramResult run_program(const std::string& arguments) {
  const std::string command =
      "'" + (build_folder() / "ridgewatt").string() + "' " + arguments + " 2>&1";
  ProgramResult result;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return {127, "cannot start the program"};
  std::array<char, 4096> buffer{};
  std::size_t count = 0;
  while ((count = fread(buffer.data(), 1, buffer.size(), pipe)) > 0) {
    result.output.append(buffer.data(), count);
  }
  const int status = pclose(pipe);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace ridgewatt::testing
