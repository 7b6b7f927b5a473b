// Tests the screen at every size, with malicious names and missing values.
#include "ridgewatt/screen/layout.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "ridgewatt/base/text.h"
#include "ridgewatt/screen/graph.h"

namespace ridgewatt::screen {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr Size kSizes[] = {{80, 24}, {120, 40}, {200, 60}, {40, 10}, {20, 5}, {1, 1}, {300, 3}};

// A board like the AGX Orin: rails of 10 W, 5 W and 2.5 W in the total, for 100 s.
Scene orin_scene() {
  Scene scene;
  scene.board = {"NVIDIA Jetson AGX Orin Developer Kit", "JetPack 6.2, L4T 36.4.3", "fake",
                 "A + B"};
  auto& now = scene.now;
  now.time_s = 1000;
  now.since_s = 100;
  now.has_power = now.has_total = true;
  now.total_w = 17.5;
  now.total = {1750, 0.5};
  now.rails = {{"VDD_GPU_SOC", "ina3221 1-0040", true, 10.0, {1000, 0.3}},
               {"VDD_CPU_CV", "ina3221 1-0040", true, 5.0, {500, 0.2}},
               {"VIN_SYS_5V0", "ina3221 1-0040", true, 2.5, {250, 0.1}},
               {"VDDQ_VDD2_1V8AO", "ina3221 1-0041", false, 1.25, {125, 0.1}}};
  now.mode = {"MODE_30W", PowerMode{8, 1728e6, 612e6, 3199e6, ""},
              "cores=8,cpu=1728,gpu=612,mem=3199"};
  auto& machine = now.machine.snapshot;
  machine.cpus_present = 12;
  machine.cpus_online = 8;
  machine.clocks = {{"cpu0", 1728e6, 729.6e6, 1728e6, "schedutil"},
                    {"cpu4", 1036.8e6, 729.6e6, 1728e6, "schedutil"},
                    {"gpu", 612e6, 612e6, 612e6, "nvhost_podgov"},
                    {"emc", 3199e6, 204e6, 3199e6, ""}};
  machine.loads = {{"cpu", 0.25}, {"gpu", 0.98}, {"emc", 0.4}};
  for (int cpu = 0; cpu < 8; ++cpu) {
    machine.loads.push_back({"cpu" + std::to_string(cpu), cpu / 8.0});
  }
  machine.temperatures = {{"cpu-thermal", 51.5, ""}, {"gpu-thermal", std::nullopt, "no power"}};
  machine.memory_total_bytes = 64e9;
  machine.memory_available_bytes = 48e9;
  now.processes = {{4711, "train.py", 1.5, 3e9, 2e9}};
  for (int i = 0; i < 600; ++i) {
    scene.history.push_back({400.0 + i, 15 + std::sin(i * 0.1), {}, 0.5, 0.2, 612e6, 50});
  }
  return scene;
}

std::string all_text(const std::vector<Line>& lines) {
  std::string text;
  for (const auto& line : lines) text += line.text() + '\n';
  return text;
}

std::string screen_text(const Scene& scene, Size size) {
  return all_text(lay_out(scene, Dialog(), {}, size));
}

// Expects only printable characters and the requested size.
void expect_sound(const Scene& scene, Size size) {
  for (const View view : {View::kAll, View::kPower, View::kClocks, View::kProcesses}) {
    for (const Glyphs glyphs : {Glyphs::kBraille, Glyphs::kBlocks, Glyphs::kAscii}) {
      Scene shown = scene;
      shown.view = view;
      shown.glyphs = glyphs;
      const auto lines = lay_out(shown, Dialog(), {}, size);
      ASSERT_EQ(lines.size(), size.height);
      for (const auto& line : lines) {
        ASSERT_EQ(line.cells(), size.width) << line.text();
        ASSERT_EQ(escape_terminal(line.text()), line.text());
        if (glyphs != Glyphs::kAscii) continue;
        for (const char c : line.text()) ASSERT_TRUE(c >= 0x20 && c < 0x7F) << line.text();
      }
    }
  }
}

// label: slow
TEST(Layout, FillsEverySize) {
  for (const Size size : kSizes) expect_sound(orin_scene(), size);
  for (std::size_t width = 1; width < 160; ++width) expect_sound(orin_scene(), {width, 24});
  for (std::size_t height = 1; height < 60; ++height) expect_sound(orin_scene(), {80, height});
}

// A screen of the usual size must show everything that issue 21 lists.
TEST(Layout, TheUsualScreenShowsAll) {
  const std::string text = screen_text(orin_scene(), {80, 24});
  for (const char* word : {"fake",          "AGX Orin",  "JetPack 6.2",   "up 0:01:40",
                           "MODE_30W",      "cores=8",   "+ VDD_GPU_SOC", "  VDDQ_VDD2_1V8AO",
                           "10.00",         "1.000 kJ",  "± 300 mJ",      "= total",
                           "17.50",         "1.750 kJ",  "GPU load",      "hottest",
                           "1728 / 1728",   "612 / 612", "fixed",         "cpu 51.5",
                           "no value: gpu", "98 %",      "8 of 12 cores", "16.0 of 64.0 GB",
                           "not throttled", "q quit"}) {
    EXPECT_THAT(text, HasSubstr(word)) << text;
  }
  EXPECT_THAT(screen_text(orin_scene(), {120, 40}), HasSubstr("train.py"));
  EXPECT_THAT(screen_text(orin_scene(), {200, 60}), HasSubstr("train.py"));
}

// The mean is energy divided by time, so that rails and total agree.
TEST(Layout, MeansAreEnergyOverTime) {
  Scene scene = orin_scene();
  scene.now.rails[0].since_start.energy_j = 1234;
  EXPECT_THAT(screen_text(scene, {80, 24}), HasSubstr("12.34"));
}

TEST(Layout, ASmallScreenSaysSo) {
  const std::string text = screen_text(orin_scene(), {40, 10});
  EXPECT_THAT(text, AllOf(HasSubstr("80x24 shows more"), HasSubstr("= total"), HasSubstr("17.50"),
                          HasSubstr("± ")));
  EXPECT_THAT(screen_text(orin_scene(), {80, 24}), Not(HasSubstr("80x24")));
}

TEST(Layout, WithoutPowerItSaysWhy) {
  Scene scene = orin_scene();
  scene.now.has_power = false;
  scene.now.rails.clear();
  scene.now.total_w.reset();
  scene.now.power_note = "only root may read the RAPL counters";
  for (const Size size : kSizes) expect_sound(scene, size);
  EXPECT_THAT(screen_text(scene, {80, 24}), HasSubstr("no power: only root may read"));
  EXPECT_THAT(plain_text(scene), HasSubstr("no power: only root may read"));
}

// An empty snapshot, as from a machine without any sensors.
TEST(Layout, NothingIsKnown) {
  for (const Size size : kSizes) expect_sound(Scene(), size);
}

TEST(Layout, MissingValuesAreNoNumbers) {
  Scene scene = orin_scene();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  scene.now.rails[0].power_w.reset();
  scene.now.rails[1].power_w = nan;
  scene.now.rails[2].since_start = {nan, infinity};
  scene.now.total_w = nan;
  scene.now.since_s = nan;
  for (auto& clock : scene.now.machine.snapshot.clocks) clock.clock_hz = clock.max_hz = nan;
  for (auto& load : scene.now.machine.snapshot.loads) load.load = nan;
  scene.now.machine.snapshot.temperatures[0].celsius = nan;
  scene.now.processes[0].cpu_share = nan;
  for (auto& point : scene.history) point = {nan, nan, {}, nan, nan, nan, infinity};
  for (const Size size : kSizes) expect_sound(scene, size);
  EXPECT_THAT(screen_text(scene, {80, 24}), AllOf(Not(HasSubstr("nan")), Not(HasSubstr("inf "))));
}

// label: slow
TEST(Layout, HostileNames) {
  Scene scene = orin_scene();
  const std::string hostile[] = {"\x1b[2J\x1b]0;owned\x07",
                                 "a\nb\rc\td\be",
                                 "\xff\xfe broken",
                                 "\xe2\x80\xae"
                                 "drawkcab",                   // right-to-left override
                                 "e\xcc\x81\xcc\x81\xcc\x81",  // combining accents
                                 "\xe7\xb7\x9a\xe8\xb7\xaf",   // two wide characters
                                 "\xf0\x9f\x94\xa5 fire",      // of uncertain width
                                 std::string(5000, 'x'),
                                 ""};
  for (const auto& name : hostile) {
    for (auto& rail : scene.now.rails) rail.name = name;
    for (auto& clock : scene.now.machine.snapshot.clocks) clock.name = clock.governor = name;
    for (auto& zone : scene.now.machine.snapshot.temperatures) zone.name = name;
    for (auto& load : scene.now.machine.snapshot.loads) load.name = name;
    scene.now.machine.snapshot.fans = {{name, 0.5, 1000}};
    scene.now.processes = {{1, name, 1, 1, 1}};
    scene.now.mode = {name, std::nullopt, name};
    scene.board = {name, name, name, name};
    scene.windows = {{0, name, 0, 10, false, {100, 1}, 3}};
    scene.throttling = {{name, 0, 1000, true, 3}};
    scene.desk = {{name, name}, "", true, name};
    for (const Size size : kSizes) expect_sound(scene, size);
    for (const std::string key : {"m", "w", "?"}) {
      Dialog dialog;
      dialog.press({Key::kCharacter, key}, scene.desk, false);
      dialog.press({Key::kCharacter, "\xc3\xa9"}, scene.desk, false);
      for (const Size size : kSizes) {
        for (const auto& line : lay_out(scene, dialog, {name}, size)) {
          ASSERT_EQ(line.cells(), size.width);
          ASSERT_EQ(escape_terminal(line.text()), line.text());
        }
      }
    }
    EXPECT_EQ(plain_text(scene).find('\x1b'), std::string::npos);
  }
}

TEST(Layout, ManyCores) {
  Scene scene = orin_scene();
  auto& machine = scene.now.machine.snapshot;
  machine.clocks.clear();
  machine.loads = {{"cpu", 0.5}};
  machine.cpus_online = machine.cpus_present = 128;
  for (int cpu = 0; cpu < 128; ++cpu) {
    machine.clocks.push_back(
        {"cpu" + std::to_string(cpu), 1e9 + cpu * 1e6, 8e8, 3.5e9, "ondemand"});
    machine.loads.push_back({"cpu" + std::to_string(cpu), 0.999});
  }
  for (const Size size : kSizes) expect_sound(scene, size);
  scene.glyphs = Glyphs::kAscii;
  const std::string text = screen_text(scene, {200, 60});
  EXPECT_THAT(text, HasSubstr("cpu0 +127"));  // one line, because all cores have the same limits
  EXPECT_THAT(text, HasSubstr("1000-1127 / 3500"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '9') >= 128, true) << text;
}

TEST(Layout, ThrottlingSaysWhatAndSinceWhen) {
  Scene scene = orin_scene();
  scene.throttling = {{"over-current: oc1", 400, 500, false, 2},
                      {"thermal: cpu", 940, 1000, true, 1}};
  const std::string text = screen_text(scene, {80, 24});
  EXPECT_THAT(text, HasSubstr("throttled: thermal: cpu, for 0:01:00"));
  EXPECT_THAT(plain_text(scene), HasSubstr("over-current: oc1, ended 0:08:20 ago, 2 times"));
}

TEST(Layout, WindowsHaveEnergyMeanAndMinibatches) {
  Scene scene = orin_scene();
  scene.windows = {{0, "warm-up", 0, 10, true, {200, 1}, 0},
                   {1, "epoch 1", 20, 40, false, {300, 2}, 6}};
  const std::string text = screen_text(scene, {120, 40});
  EXPECT_THAT(text, AllOf(HasSubstr("1 open: epoch 1"), HasSubstr("15.00 W"),
                          HasSubstr("6 at 50 J"), HasSubstr("0 warm-up"), HasSubstr("20.00 W")));
}

TEST(Layout, AnUnknownErrorIsADash) {
  Scene scene = orin_scene();
  scene.windows = {{0, "short", 0, 1, true, {20, INFINITY}, 0}};
  scene.now.total.error_j = INFINITY;
  const std::string text = plain_text(scene);
  EXPECT_EQ(text.find("inf"), std::string::npos) << text;
  EXPECT_THAT(text, ::testing::AnyOf(HasSubstr("20 J ± -"), HasSubstr("20 J +- -")));
}

TEST(Layout, PlainTextHasEveryBlock) {
  const std::string text = plain_text(orin_scene());
  for (const char* word : {"power", "= total", "trend", "clocks", "loads", "temperatures",
                           "not throttled", "processes", "train.py"}) {
    EXPECT_THAT(text, HasSubstr(word));
  }
  EXPECT_EQ(text.find(" \n"), std::string::npos);
}

TEST(ShareLines, TheFirstAreServedFirst) {
  EXPECT_THAT(share_lines({{2, 5}, {1, 1}, {3, 9}}, 100), ::testing::ElementsAre(5, 1, 9));
  EXPECT_THAT(share_lines({{2, 5}, {1, 1}, {3, 9}}, 8), ::testing::ElementsAre(4, 1, 3));
  EXPECT_THAT(share_lines({{2, 5}, {1, 1}, {3, 9}}, 5), ::testing::ElementsAre(4, 1, 0));
  EXPECT_THAT(share_lines({{2, 5}, {1, 1}}, 0), ::testing::ElementsAre(0, 0));
}

TEST(Cells, WidthsAndCuts) {
  EXPECT_EQ(cells("abc"), 3u);
  EXPECT_EQ(cells("\xe7\xb7\x9a"), 2u);  // U+7DDA
  EXPECT_EQ(cells("é"), 1u);
  EXPECT_EQ(left("abc", 5), "abc  ");
  EXPECT_EQ(left("abcdef", 4), "abc~");
  EXPECT_EQ(left("\xe7\xb7\x9a\xe8\xb7\xaf", 3), "\xe7\xb7\x9a~");
  EXPECT_EQ(left("\xe7\xb7\x9a\xe8\xb7\xaf", 2), " ~");
  EXPECT_EQ(right("abc", 5), "  abc");
  EXPECT_EQ(harmless("a\x1b[0m"), "a\\x1b[0m");
  EXPECT_EQ(harmless("e\xcc\x81"), "e");
  EXPECT_EQ(harmless("\xe2\x80\xae"), "\\xe2\\x80\\xae");  // U+202E
  EXPECT_EQ(harmless("é", Glyphs::kAscii), "?");
  EXPECT_THAT(wrapped("one two three", 8), ::testing::ElementsAre("one two", "three"));
  EXPECT_THAT(wrapped("abcdefghij", 4), ::testing::ElementsAre("abc~"));
}

TEST(Graph, ColumnsFromTheBottomTheNewestAtTheRight) {
  const double nan = std::nan("");
  EXPECT_THAT(graph(std::vector<double>{0, 0.5, 1, nan}, 0, 1, 4, 1, Glyphs::kBlocks),
              ::testing::ElementsAre("▁▄█ "));
  EXPECT_THAT(graph(std::vector<double>{1}, 0, 1, 3, 2, Glyphs::kAscii),
              ::testing::ElementsAre("  :", "  :"));
  // Braille (Unicode 2800 to 28FF): dots 1, 2, 3, 7 are the left column; 28FF has both columns
  // full.
  EXPECT_THAT(graph(std::vector<double>{1, 1, 0, 1}, 0, 1, 2, 1, Glyphs::kBraille),
              ::testing::ElementsAre("\xe2\xa3\xbf\xe2\xa3\xb8"));
  EXPECT_THAT(graph({}, 0, 1, 2, 1, Glyphs::kBraille), ::testing::ElementsAre("⠀⠀"));
}

TEST(Graph, BarsAndLevels) {
  EXPECT_EQ(bar(0.5, 4, Glyphs::kAscii), "##..");
  EXPECT_EQ(bar(7, 2, Glyphs::kAscii), "##");
  EXPECT_EQ(bar(std::nan(""), 2, Glyphs::kAscii), "..");
  EXPECT_EQ(level(0.35, Glyphs::kAscii), "3");
  EXPECT_EQ(level(1, Glyphs::kAscii), "9");
  EXPECT_EQ(level(1, Glyphs::kBlocks), "█");
}

}  // namespace
}  // namespace ridgewatt::screen
