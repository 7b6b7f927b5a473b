#include "ridgewatt/io/input_files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/io/file.h"

namespace ridgewatt {
namespace {

TEST(InputFiles, WhatWasReadIsRefusedUnderEveryName) {
  const testing::TemporaryFolder folder;
  const std::string read = folder.write("read", "content"),
                    other = folder.write("other", "content");
  const auto path = [&](const char* name) { return (folder.path() / name).string(); };
  std::filesystem::create_symlink("read", path("link"));
  std::filesystem::create_hard_link(read, path("hard"));
  EXPECT_NO_THROW(refuse_input(read));
  read_file(read);
  for (const auto& name : {read, path("link"), path("hard"), path("./read")}) {
    EXPECT_THROW(refuse_input(name), UsageError) << name;
  }
  for (const auto& name : {other, path("new"), std::string("/dev/null"), std::string("")}) {
    EXPECT_NO_THROW(refuse_input(name)) << name;
  }
}

// File systems reuse the inode of a removed file for the next file.
TEST(InputFiles, AFileThatCameLaterIsAnother) {
  const testing::TemporaryFolder folder;
  for (int i = 0; i < 50; ++i) {
    const std::string name = folder.write("passing", "content");
    EXPECT_NO_THROW(refuse_input(name)) << i;
    read_file(name);
    std::filesystem::remove(name);
  }
}

TEST(InputFiles, AnEmptyFileHasNothingToLose) {
  const testing::TemporaryFolder folder;
  const std::string empty = folder.write("empty", "");
  read_file(empty);
  EXPECT_NO_THROW(refuse_input(empty));
}

}  // namespace
}  // namespace ridgewatt
