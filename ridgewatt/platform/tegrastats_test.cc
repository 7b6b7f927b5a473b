#include "ridgewatt/platform/tegrastats.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/file.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/platform/tegrastats_source.h"

namespace ridgewatt {
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

// Whatever is cut or overwritten, the reader returns, and what it calls unknown stands in the line.
TEST(Tegrastats, SurvivesMutations) {
  const std::string good =
      "04-24-2023 00:01:24 RAM 1/2MB (lfb 1x4MB) SWAP 0/3MB (cached 0MB) IRAM 0/252kB(lfb 252kB) "
      "CPU [0%@729,off,5%@1] EMC_FREQ 0%@2133 GR3D_FREQ 0%@[0,1] MTS fg 0% bg 0% CV0@-256C "
      "VDD_IN 2399mW/2399mW/3mW VIC off";
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

// A program of that name in PATH that prints lines of a Xavier NX: 5 W, then 7 W.
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
  // Old news is no reading.
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
  EXPECT_FALSE(open_tegrastats());
  const std::string script = folder.write("tegrastats", "#!/bin/sh\necho usage\n");
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  EXPECT_THROW(open_tegrastats(), NotSupportedError);
  ::setenv("PATH", path.c_str(), 1);
}

}  // namespace
}  // namespace ridgewatt
