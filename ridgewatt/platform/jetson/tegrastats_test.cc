#include "ridgewatt/platform/tegrastats.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/platform/jetson/tegrastats_source.h"

namespace ridgewatt::platform {
namespace {

const TegrastatsRail* rail(const TegrastatsLine& line, const std::string& name) {
  const auto found = std::find_if(line.rails.begin(), line.rails.end(),
                                  [&](const auto& r) { return r.name == name; });
  return found == line.rails.end() ? nullptr : &*found;
}

const TegrastatsClock* clock(const TegrastatsLine& line, const std::string& name) {
  const auto found = std::find_if(line.clocks.begin(), line.clocks.end(),
                                  [&](const auto& c) { return c.name == name; });
  return found == line.clocks.end() ? nullptr : &*found;
}

TEST(Tegrastats, OneNameIsRailTemperatureAndCores) {
  const auto line = parse_tegrastats_line(
      "RAM 10/20MB (lfb 3x4MB) CPU [2%@1190,off] GPU@37.5C CPU@38C GPU 5/6 CPU 311/312");
  EXPECT_TRUE(line.unknown.empty());
  ASSERT_EQ(line.temperatures.size(), 2u);
  EXPECT_EQ(line.temperatures[0].celsius, 37.5);
  ASSERT_NE(rail(line, "CPU"), nullptr);
  EXPECT_DOUBLE_EQ(rail(line, "CPU")->power_w, 0.311);
  EXPECT_DOUBLE_EQ(rail(line, "CPU")->average_w, 0.312);
  ASSERT_NE(clock(line, "CPU0"), nullptr);
  EXPECT_DOUBLE_EQ(*clock(line, "CPU0")->load, 0.02);
  EXPECT_EQ(clock(line, "CPU0")->clocks_hz, std::vector<double>{1190e6});
  EXPECT_TRUE(clock(line, "CPU1")->off);
  EXPECT_EQ(line.memory[0].total_bytes, 20.0 * 1024 * 1024);
}

TEST(Tegrastats, EveryClockForm) {
  const auto line = parse_tegrastats_line(
      "APE 150 VIC off EMC_FREQ 7%@408 GR3D_FREQ 0% A_FREQ 5%@[305,306] B_FREQ @[1,2,3] C @44 "
      "D@55 E_FREQ9%@77 F@[8,9]  MTS fg 1% bg 2%");
  EXPECT_TRUE(line.unknown.empty()) << line.unknown[0];
  EXPECT_EQ(clock(line, "APE")->clocks_hz, std::vector<double>{150e6});
  EXPECT_TRUE(clock(line, "VIC")->off);
  EXPECT_DOUBLE_EQ(*clock(line, "EMC_FREQ")->load, 0.07);
  EXPECT_FALSE(clock(line, "GR3D_FREQ")->clocks_hz.size());
  EXPECT_EQ(clock(line, "A_FREQ")->clocks_hz, (std::vector<double>{305e6, 306e6}));
  EXPECT_EQ(clock(line, "B_FREQ")->clocks_hz.size(), 3u);
  EXPECT_EQ(clock(line, "C")->clocks_hz, std::vector<double>{44e6});
  EXPECT_EQ(clock(line, "D")->clocks_hz, std::vector<double>{55e6});
  EXPECT_DOUBLE_EQ(*clock(line, "E_FREQ")->load, 0.09);
  EXPECT_EQ(clock(line, "F")->clocks_hz.size(), 2u);
  EXPECT_DOUBLE_EQ(*clock(line, "MTS bg")->load, 0.02);
}

TEST(Tegrastats, CommonCoreClockOldAndNew) {
  for (const char* text : {"CPU [0%,5%,off]@2601", "cpu [0%,5%,off]@2601"}) {
    const auto line = parse_tegrastats_line(text);
    ASSERT_EQ(line.clocks.size(), 3u);
    EXPECT_EQ(line.clocks[1].clocks_hz, std::vector<double>{2601e6});
    EXPECT_TRUE(line.clocks[2].clocks_hz.empty());
  }
}

TEST(Tegrastats, RailsWithTwoAndThreeValuesAndNotConnected) {
  const auto line = parse_tegrastats_line(
      "A 1mW/2mW B 3mW/4mW/5mW C -392mW/-10mW NC 0mW/0mW NC 0mW/0mW t@51.2C/52.5C u@-256C");
  EXPECT_TRUE(line.unknown.empty());
  EXPECT_EQ(line.rails.size(), 3u);
  EXPECT_EQ(line.not_connected, 2);
  EXPECT_DOUBLE_EQ(*rail(line, "B")->maximum_w, 0.005);
  EXPECT_DOUBLE_EQ(rail(line, "C")->power_w, -0.392);
  EXPECT_EQ(line.temperatures[0].maximum_celsius, 52.5);
  EXPECT_FALSE(line.temperatures[1].celsius.has_value());
}

TEST(Tegrastats, UnknownWordsAreSkippedAndKept) {
  const auto line = parse_tegrastats_line("FOO{1} RAM 1/2MB ?? VDD_IN 5/6 BAR 7x CPU [1%@2");
  EXPECT_EQ(line.unknown, (std::vector<std::string>{"FOO{1}", "??", "BAR", "7x", "CPU", "[1%@2"}));
  EXPECT_EQ(line.rails.size(), 1u);
  EXPECT_EQ(line.memory.size(), 1u);
}

// Lines from public sources: TK1 and TX1 with early releases.
TEST(Tegrastats, EarlyBoards) {
  const auto idle = parse_tegrastats_line(
      "RAM 598/1892MB (lfb 209x4MB) cpu [0%,off,off,off]@-1 VDE 0 EDP limit 0");
  EXPECT_TRUE(idle.unknown.empty());
  ASSERT_EQ(idle.clocks.size(), 5u);
  EXPECT_EQ(idle.clocks[0].load, 0.0);
  EXPECT_TRUE(idle.clocks[0].clocks_hz.empty());  // -1: unknown
  EXPECT_TRUE(idle.clocks[1].off && idle.clocks[2].off && idle.clocks[3].off);
  EXPECT_EQ(clock(idle, "VDE")->clocks_hz, std::vector<double>{0});
  EXPECT_EQ(idle.edp_limit_hz, 0.0);
  const auto busy = parse_tegrastats_line(
      "RAM 277/3854MB (lfb 700x4MB) SWAP 0/0MB (cached 0MB) cpu [1%,0%,0%,1%]@102 EMC 1%@408 "
      "AVP 33%@12 VDE 0 GR3D 0%@76 EDP limit 1912");
  EXPECT_TRUE(busy.unknown.empty());
  EXPECT_EQ(busy.clocks.size(), 8u);
  EXPECT_EQ(clock(busy, "CPU3")->clocks_hz, std::vector<double>{102e6});
  EXPECT_EQ(clock(busy, "GR3D")->clocks_hz, std::vector<double>{76e6});
  EXPECT_EQ(clock(busy, "limit"), nullptr);
  EXPECT_EQ(busy.edp_limit_hz, 1912e6);
  EXPECT_EQ(busy.memory.size(), 2u);
}

TEST(Tegrastats, OneUnreadableElementCostsOnlyItself) {
  const auto line = parse_tegrastats_line(
      "CPU [5%@1420, off,?, 7%@x,9%@729]@oops GR3D_FREQ 12.5%@[918,--,305] EMC_FREQ 3%@fast "
      "MTS fg ?% bg 4% cpu@49.5C/hotC VDD_IN 5000mW/?/7mW VDD_SOC x/2mW tj@51C");
  EXPECT_EQ(line.unknown,
            (std::vector<std::string>{"?", "x", "@oops", "--", "fast", "?%", "hotC", "?", "x"}));
  EXPECT_EQ(clock(line, "CPU0")->clocks_hz, std::vector<double>{1420e6});
  EXPECT_TRUE(clock(line, "CPU1")->off);
  EXPECT_EQ(clock(line, "CPU2"), nullptr);
  EXPECT_DOUBLE_EQ(*clock(line, "CPU3")->load, 0.07);  // its load is known, but not its clock
  EXPECT_DOUBLE_EQ(*clock(line, "CPU4")->load, 0.09);
  EXPECT_DOUBLE_EQ(*clock(line, "GR3D_FREQ")->load, 0.125);
  EXPECT_EQ(clock(line, "GR3D_FREQ")->clocks_hz, (std::vector<double>{918e6, 305e6}));
  EXPECT_DOUBLE_EQ(*clock(line, "EMC_FREQ")->load, 0.03);
  EXPECT_EQ(clock(line, "MTS fg"), nullptr);
  EXPECT_DOUBLE_EQ(*clock(line, "MTS bg")->load, 0.04);
  EXPECT_EQ(line.temperatures[0].celsius, 49.5);
  EXPECT_DOUBLE_EQ(rail(line, "VDD_IN")->power_w, 5);
  EXPECT_DOUBLE_EQ(*rail(line, "VDD_IN")->maximum_w, 0.007);
  EXPECT_TRUE(std::isnan(rail(line, "VDD_SOC")->power_w));
  EXPECT_DOUBLE_EQ(rail(line, "VDD_SOC")->average_w, 0.002);
  EXPECT_EQ(line.temperatures[1].celsius, 51);
}

// If a line is cut or its brackets are not closed, the values before and after that place are still
// read.
TEST(Tegrastats, OpenBracketsSwallowNothing) {
  const auto cut = parse_tegrastats_line("RAM 1/2MB CPU [1%@729,2%@730,3%@7");
  EXPECT_EQ(cut.clocks.size(), 2u);  // the last number may be incomplete
  EXPECT_EQ(cut.unknown, std::vector<std::string>{"3%@7"});
  const auto gpcs = parse_tegrastats_line("VDD_IN 5/6 GR3D_FREQ 7%@[305,30");
  EXPECT_EQ(clock(gpcs, "GR3D_FREQ")->clocks_hz, std::vector<double>{305e6});
  EXPECT_EQ(gpcs.unknown, std::vector<std::string>{"30"});
  const auto open = parse_tegrastats_line(
      "RAM 10/20MB (lfb 3x4MB SWAP 0/3MB (cached 0MB) IRAM 0/252kB(lfb CPU [1%@2,3%@4 GR3D_FREQ "
      "0%@[305,306] VDD_IN 5/6");
  EXPECT_EQ(open.memory.size(), 3u);
  EXPECT_EQ(open.memory[1].detail, "cached 0MB");
  EXPECT_EQ(clock(open, "CPU1")->clocks_hz, std::vector<double>{4e6});
  EXPECT_EQ(clock(open, "GR3D_FREQ")->clocks_hz.size(), 2u);
  EXPECT_EQ(open.rails.size(), 1u);
  EXPECT_EQ(open.unknown, (std::vector<std::string>{"(lfb", "3x4MB", "(lfb"}));
}

TEST(Tegrastats, OtherSpellings) {
  const auto line = parse_tegrastats_line(
      "2024-05-30 15:30:45 CPU[1%@729,off] NVDLA0 OFF VDD_IN 8500mW took 5 limit 0 NVDEC 716");
  EXPECT_EQ(line.time, "2024-05-30 15:30:45");
  EXPECT_EQ(line.clocks.size(), 4u);
  EXPECT_TRUE(clock(line, "NVDLA0")->off);
  EXPECT_DOUBLE_EQ(rail(line, "VDD_IN")->power_w, 8.5);
  EXPECT_TRUE(std::isnan(rail(line, "VDD_IN")->average_w));
  EXPECT_EQ(line.unknown, (std::vector<std::string>{"took", "5", "limit", "0"}));
}

TEST(Tegrastats, EverySampleIsReadCompletely) {
  RIDGEWATT_REQUIRE_SHARED();
  int files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(testing::shared_folder() / "jetson" / "tegrastats")) {
    if (entry.path().extension() != ".txt") continue;
    ++files;
    for (const auto& line :
         parse_tegrastats(read_file(entry.path().string()), entry.path().string())) {
      EXPECT_TRUE(line.unknown.empty()) << entry.path() << ": " << line.unknown[0];
      EXPECT_GE(line.rails.size(), 2u);
      EXPECT_GE(line.temperatures.size(), 3u);
    }
  }
  EXPECT_GE(files, 12);
}

TEST(Tegrastats, ALogWithoutAKnownTokenIsRefused) {
  EXPECT_THROW(parse_tegrastats("", "x"), InputError);
  EXPECT_THROW(parse_tegrastats("hello\nworld\n", "x"), InputError);
  EXPECT_THROW(parse_tegrastats(std::string(70000, 'a'), "x"), InputError);
}

// For any cut or overwritten text, the reader returns, and each word that it calls unknown is in
// the text.
TEST(Tegrastats, SurvivesMutations) {
  const std::string good =
      "04-24-2023 00:01:24 RAM 1/2MB (lfb 1x4MB) SWAP 0/3MB (cached 0MB) IRAM 0/252kB(lfb 252kB) "
      "CPU [0%@729,off, 5%@1]@-1 EMC_FREQ 0%@2133 GR3D_FREQ 0%@[0,1] MTS fg 0% bg 0% CV0@-256C "
      "VDD_IN 2399mW/2399mW/3mW VIC off EDP limit 1912 cpu@49C/50C";
  Random random(7);
  for (int round = 0; round < 20000; ++round) {
    std::string text = good.substr(0, random.below(good.size() + 1));
    for (auto i = random.below(4); i > 0 && !text.empty(); --i) {
      text[random.below(text.size())] = static_cast<char>(random.below(256));
    }
    const auto line = parse_tegrastats_line(text);
    for (const auto& word : line.unknown) ASSERT_NE(text.find(word), std::string::npos);
  }
}

// A program named tegrastats in PATH that prints lines of a Xavier NX: 5 W, then 7 W.
// label: board
TEST(TegrastatsSource, FollowsAProgram) {
  const testing::TemporaryFolder folder;
  const std::string script = folder.write(
      "tegrastats",
      "#!/bin/sh\nfor w in 5000 7000 7000; do echo \"RAM 1000/7771MB CPU [1%@1190] CPU@30C VDD_IN "
      "$w/$w VDD_CPU_GPU_CV 900/900 VDD_SOC 1200/1200\"; sleep 0.2; done; exec sleep 60\n");
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", (folder.path().string() + ":" + path).c_str(), 1);
  const auto source = open_tegrastats();
  ::setenv("PATH", path.c_str(), 1);
  ASSERT_TRUE(source);
  ASSERT_EQ(source->channels().size(), 3u);
  EXPECT_EQ(source->channels()[0].name, "VDD_IN");
  EXPECT_TRUE(source->channels()[0].in_total);
  EXPECT_FALSE(source->channels()[1].in_total);
  std::vector<double> power_w(3);
  source->read(power_w);
  EXPECT_DOUBLE_EQ(power_w[2], 1.2);
  for (int i = 0; i < 100 && power_w[0] != 7; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    source->read(power_w);
  }
  EXPECT_DOUBLE_EQ(power_w[0], 7);
  // An old line does not count as a reading.
  for (int i = 0; i < 150 && !std::isnan(power_w[0]); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    source->read(power_w);
  }
  EXPECT_TRUE(std::isnan(power_w[0]));
}

TEST(TegrastatsSource, NoSuchProgramOrNoRail) {
  const testing::TemporaryFolder folder;
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", folder.path().c_str(), 1);
  EXPECT_THROW(open_tegrastats(), NotSupportedError);
  const std::string script = folder.write("tegrastats", "#!/bin/sh\necho usage\n");
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  EXPECT_THROW(open_tegrastats(), NotSupportedError);
  ::setenv("PATH", path.c_str(), 1);
}

}  // namespace
}  // namespace ridgewatt::platform
