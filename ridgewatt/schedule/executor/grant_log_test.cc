#include "ridgewatt/schedule/grant_log.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/io/file.h"

namespace ridgewatt::schedule {
namespace {

GrantRecord grant_of(const char* worker) {
  GrantRecord record;
  record.worker = worker;
  return record;
}

TEST(GrantLog, HasALinePerGrantAndNoFault) {
  const testing::TemporaryFolder folder;
  const std::string path = (folder.path() / "grants.csv").string();
  GrantLog log(path);
  log.add(grant_of("a"));
  log.add(grant_of("b"));
  const std::string text = read_file(path);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3) << text;
  EXPECT_EQ(log.fault(), "");
}

// A full disk does not stop the workers, but the run must not end as if nothing were missing.
TEST(GrantLog, OnAFullDiskItHasAFault) {
  GrantLog log("/dev/full");
  log.add(grant_of("a"));
  EXPECT_EQ(log.fault(), "/dev/full: No space left on device");
  EXPECT_THROW(GrantLog("/no/such/folder/grants.csv"), NotFoundError);
}

}  // namespace
}  // namespace ridgewatt::schedule
