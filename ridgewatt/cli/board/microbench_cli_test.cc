// Tests that `microbench` writes its file in the requested format.
#include <gtest/gtest.h>

#include "ridgewatt/base/test_support.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/io/json.h"

namespace ridgewatt::cli {
namespace {

TEST(MicrobenchCommand, TheFileHasTheFormatThatWasAskedFor) {
  const testing::TemporaryFolder folder;
  const std::string file = (folder.path() / "points").string();
  const std::string line =
      "microbench --seconds 1ms --footprint 4MiB --intensities 1 -q -o " + file + " --format ";
  const auto json = testing::run_program(line + "json");
  EXPECT_EQ(json.status, 0) << json.output;
  EXPECT_EQ(json.output, "");
  EXPECT_TRUE(Json::parse(read_file(file))["points"].is_array());
  const auto csv = testing::run_program(line + "csv");
  EXPECT_EQ(csv.status, 0) << csv.output;
  EXPECT_EQ(csv.output, "");
  EXPECT_TRUE(read_file(file).starts_with("cpu_cores,"));
}

}  // namespace
}  // namespace ridgewatt::cli
