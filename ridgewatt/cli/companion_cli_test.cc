// Tests commands in a companion program: it is found next to `ridgewatt` and in libexec, and if it
// is missing, the message is one line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "ridgewatt/base/test_support.h"
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/io/file.h"

namespace ridgewatt::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::ProgramResult;

class Companions : public ::testing::Test {
 protected:
  Companions() {
    fs::create_directories(prefix() / "bin");
    fs::create_directories(prefix() / "libexec" / "ridgewatt");
    fs::copy_file(testing::build_folder() / "ridgewatt", prefix() / "bin" / "ridgewatt");
  }
  const fs::path& prefix() const { return folder_.path(); }

  // Runs the copied program.
  ProgramResult run(const std::string& arguments) const {
    const fs::path output = prefix() / "output";
    const int status = std::system(("'" + (prefix() / "bin" / "ridgewatt").string() + "' " +
                                    arguments + " > '" + output.string() + "' 2>&1")
                                       .c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 255, read_file(output.string())};
  }

 private:
  testing::TemporaryFolder folder_;
};

TEST_F(Companions, AreFoundInLibexec) {
  for (const auto& entry : kCommands) {
    if (entry.program == nullptr) continue;
    fs::copy_file(testing::build_folder() / entry.program,
                  prefix() / "libexec" / "ridgewatt" / entry.program);
    const std::string help = std::string(entry.name) + " --help";
    const ProgramResult found = run(help);
    EXPECT_EQ(found.status, 0) << found.output;
    EXPECT_THAT(found.output, HasSubstr("ridgewatt " + std::string(entry.name)));
    EXPECT_EQ(found.output, testing::run_program(help).output);
    EXPECT_EQ(run("help " + std::string(entry.name)).output, found.output);
    EXPECT_EQ(run("man " + std::string(entry.name)).status, 0);
    const ProgramResult completed = run("complete -- " + std::string(entry.name) + " ''");
    EXPECT_EQ(completed.status, 0);
    EXPECT_THAT(completed.output, Not(IsEmpty()));
  }
}

TEST_F(Companions, AreMissedInOneLine) {
  for (const auto& entry : kCommands) {
    if (entry.program == nullptr) continue;
    const std::string name = entry.name;
    for (const auto& line : {name, name + " --help", "help " + name, "man " + name,
                             "--format json " + name + " nothing", "complete -- " + name + " b"}) {
      const ProgramResult missed = run(line);
      EXPECT_EQ(missed.status, 1) << line;
      EXPECT_THAT(missed.output, HasSubstr(entry.program)) << line;
      EXPECT_EQ(std::count(missed.output.begin(), missed.output.end(), '\n'), 1) << missed.output;
    }
    EXPECT_THAT(run("--help").output, HasSubstr(name));  // the other commands work
    EXPECT_THAT(run("complete -- ''").output, HasSubstr(name + '\t'));
    EXPECT_THAT(run("complete -- schedule ''").output, HasSubstr("simulate\t"));
    EXPECT_EQ(run("man -o '" + (prefix() / "pages").string() + "'").status, 0);
    EXPECT_TRUE(fs::exists(prefix() / "pages" / "ridgewatt-tune.1"));
    EXPECT_FALSE(fs::exists(prefix() / "pages" / ("ridgewatt-" + name + ".1")));
  }
}

}  // namespace
}  // namespace ridgewatt::cli
