// Tests that ridgewatt report writes a complete file or none.
#include <gmock/gmock.h>
#include <filesystem>

#include "ridgewatt/base/test_support.h"
#include "ridgewatt/io/file.h"

namespace ridgewatt::cli {
namespace {

using ::testing::HasSubstr;

TEST(ReportCommand, WritesOneFile) {
  const testing::TemporaryFolder folder;
  const auto csv = folder.write("a.csv", "gpu_mhz,time_ms,power_w\n306,10,5\n408,8,6\n510,7,8\n");
  const std::string html = (folder.path() / "a.html").string();
  const auto result = testing::run_program("report " + csv + " -o " + html);
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(read_file(html).substr(0, 15), HasSubstr("<!DOCTYPE html>"));
  const auto bad = folder.write("bad.csv", "gpu_mhz,time_ms,power_w\n306,nan,5\n");
  const auto failed = testing::run_program("report " + bad + " -o " + html + "2");
  EXPECT_EQ(failed.status, 1);
  EXPECT_THAT(failed.output, HasSubstr("line 2"));
  EXPECT_FALSE(std::filesystem::exists(html + "2"));
  for (const char* ending : {".csv", ".json", ".png", ".pdf"}) {
    const std::string other = (folder.path() / "page").string() + ending;
    const auto refused = testing::run_program("report " + csv + " -o " + other);
    EXPECT_EQ(refused.status, 2) << ending;
    EXPECT_THAT(refused.output, HasSubstr("ends in .html or .svg"));
    EXPECT_FALSE(std::filesystem::exists(other));
  }
}

// The CSV of a board whose power is not known has an empty column.
TEST(ReportCommand, ShowsAnEstimateWithoutPower) {
  const testing::TemporaryFolder folder;
  const auto csv = folder.write("a.csv", "gpu_mhz,time_ms,power_w\n306,10,\n408,8,\n");
  const std::string html = (folder.path() / "a.html").string();
  const auto result = testing::run_program("report " + csv + " -o " + html);
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(read_file(html), HasSubstr("The power of these rows is not known"));
  for (const char* command : {"sweep ", "sweep check ", "tune --max-power 30 --sweep "}) {
    const auto refused = testing::run_program(command + csv);
    EXPECT_EQ(refused.status, 1);
    EXPECT_THAT(refused.output, HasSubstr("power_w is empty: "));
  }
}

}  // namespace
}  // namespace ridgewatt::cli
