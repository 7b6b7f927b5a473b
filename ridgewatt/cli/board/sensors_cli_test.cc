// Tests ridgewatt sensors and microbench: every reading in every format, and errors of one line.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "ridgewatt/platform/fake_board_support.h"

namespace ridgewatt::cli {
namespace {

// Fans and swap appear in every format.
// label: slow
TEST(SensorsCommand, FansAndSwapInEveryFormat) {
  const testing::FakeBoard board("agx-orin-jp6");
  board.add_fans_and_swap();
  const std::string where = " --sysroot " + board.root;
  const auto csv = testing::run_program("sensors --format csv" + where).output;
  for (const char* row : {"fan,pwmfan 1,20,%,", "fan,pwm_tach,1710,1/min,", "swap,total,4,MiB,",
                          "swap,free,3,MiB,", "cpus,online,12,,of 12"}) {
    EXPECT_NE(csv.find(row), std::string::npos) << row << csv;
  }
  const auto json = testing::run_program("sensors --format json" + where).output;
  EXPECT_NE(json.find("\"rpm\": 1710.0"), std::string::npos) << json;
}

// A root that is a loop of links, and loops of links inside a root.
TEST(SensorsCommand, LinkLoopsAreOneLine) {
  const testing::TemporaryFolder folder;
  const std::string a = (folder.path() / "a").string();
  std::filesystem::create_symlink("b", a);
  std::filesystem::create_symlink("a", folder.path() / "b");
  std::filesystem::create_directories(folder.path() / "tree" / "sys");
  std::filesystem::create_symlink("/sys/class", folder.path() / "tree" / "sys" / "class");
  for (const char* command : {"sensors", "mode list", "mode show", "measure"}) {
    const auto result = testing::run_program(std::string(command) + " --sysroot " + a +
                                             (std::string(command) == "measure" ? " -- true" : ""));
    EXPECT_EQ(result.status, 1) << command;
    EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 1) << result.output;
    EXPECT_NE(result.output.find(a), std::string::npos) << result.output;
    EXPECT_EQ(result.output.find("internal"), std::string::npos) << result.output;
  }
  const platform::Sysfs sysfs((folder.path() / "tree").string());
  EXPECT_FALSE(sysfs.exists("/sys/class/hwmon"));
  EXPECT_EQ(testing::run_program("sensors --sysroot " + sysfs.root()).status, 0);
}

// Table, CSV and JSON state the same readings.
TEST(SensorsCommand, EveryReadingInEveryFormat) {
  const testing::TemporaryFolder folder;
  const std::string log = folder.write(
      "log",
      "04-24-2023 00:01:24 RAM 1282/62795MB (lfb 15152x4MB) SWAP 3/31398MB (cached 0MB) CPU "
      "[7%@729,off] EMC_FREQ 5%@2133 GR3D_FREQ 9%@[305,306] VIC off cpu@42.5C/43C CV0@-256C "
      "VDD_IN 2399mW/2400mW/2500mW EDP limit 1912 odd{1}\n");
  const auto csv = testing::run_program("sensors --format csv --tegrastats " + log).output;
  const std::string start = "1,04-24-2023 00:01:24,";
  for (const char* row :
       {"rail,VDD_IN,2.399,W,2.4,2.5,", "clock,CPU0,729,MHz,,,", "clock,CPU1,0,MHz,,,off",
        "clock,EMC_FREQ,2133,MHz,,,", "clock,GR3D_FREQ[1],306,MHz,,,", "clock,VIC,0,MHz,,,off",
        "load,CPU0,7,%,,,", "load,EMC_FREQ,5,%,,,", "load,GR3D_FREQ,9,%,,,",
        "temperature,cpu,42.5,C,,43,", "temperature,CV0,,C,,,no power",
        "memory,RAM,1282,MiB,,62795,lfb 15152x4MB", "memory,SWAP,3,MiB,,31398,cached 0MB",
        "limit,EDP,1912,MHz,,,", "unknown,odd{1},,,,,"}) {
    EXPECT_NE(csv.find(start + row + "\n"), std::string::npos) << row << "\n" << csv;
  }
  const auto table = testing::run_program("sensors --tegrastats " + log).output;
  const auto json = testing::run_program("sensors --format json --tegrastats " + log).output;
  for (const char* word : {"VDD_IN", "CPU1", "EMC_FREQ", "GR3D_FREQ", "VIC", "cpu", "CV0", "RAM",
                           "SWAP", "2133", "1912", "42.5", "1282", "odd{1}"}) {
    EXPECT_NE(table.find(word), std::string::npos) << word;
  }
  for (const char* word : {"VDD_IN", "CPU1", "EMC_FREQ", "GR3D_FREQ", "VIC", "cpu", "CV0", "RAM",
                           "SWAP", "2133", "1912", "42.5", "1344274432", "odd{1}"}) {
    EXPECT_NE(json.find(word), std::string::npos) << word;
  }
}

TEST(MicrobenchCommand, MissingGpuIsSaidInOneLine) {
  const auto result = testing::run_program("microbench --target cuda --gpu 99");
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 1);
  EXPECT_NE(result.output.find("CUDA"), std::string::npos);
}

}  // namespace
}  // namespace ridgewatt::cli
