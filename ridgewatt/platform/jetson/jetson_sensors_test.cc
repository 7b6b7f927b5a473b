// Tests fake boards of every generation, including cases that other tools get wrong.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/platform/fake_board_support.h"
#include "ridgewatt/platform/local_device.h"
#include "ridgewatt/platform/machine_sensors.h"
#include "ridgewatt/platform/power_source.h"

namespace ridgewatt::platform {
namespace {

using Board = testing::FakeBoard;

const PowerChannel* channel(const PowerRails& rails, const std::string& name) {
  for (const auto& entry : rails.channels) {
    if (entry.rail == name) return &entry;
  }
  return nullptr;
}

// Sets voltage and current of a rail, in the files that this board uses.
void set_rail(const Board& board, const PowerRails& rails, const std::string& name, double volt,
              double ampere) {
  const auto* found = channel(rails, name);
  ASSERT_NE(found, nullptr) << name;
  board.set(found->voltage_path, std::to_string(static_cast<int>(volt * 1e3)));
  board.set(found->current_path, std::to_string(static_cast<int>(ampere * 1e3)));
  if (!found->power_path.empty()) {
    board.set(found->power_path,
              std::to_string(static_cast<long long>(volt * ampere / found->power_unit_w + 0.5)));
  }
}

struct Facts {
  std::string board, soc, jetpack, gpu_clock, total;
};
// The facts of every fake board.
const std::map<std::string, Facts> kFacts = {
    {"agx-orin-jp5",
     {"agx-orin", "tegra234", "5.1.2", "gpu", "VDD_GPU_SOC + VDD_CPU_CV + VIN_SYS_5V0"}},
    {"agx-orin-jp6",
     {"agx-orin", "tegra234", "6.2", "gpu", "VDD_GPU_SOC + VDD_CPU_CV + VIN_SYS_5V0"}},
    {"orin-nano", {"orin-nano-8gb@super", "tegra234", "6.2", "gpu", "VDD_IN"}},
    {"agx-xavier",
     {"agx-xavier", "tegra194", "4.5", "gpu", "GPU + CPU + SOC + CV + VDDRQ + SYS5V"}},
    {"xavier-nx-jp4", {"xavier-nx", "tegra194", "4.5", "gpu", "VDD_IN"}},
    {"xavier-nx-jp5", {"xavier-nx", "tegra194", "5.1.2", "gpu", "VDD_IN"}},
    {"nano", {"nano", "tegra210", "4.5", "gpu", "POM_5V_IN"}},
    {"thor", {"thor", "tegra264", "7.1", "gpu-gpc-0", "VIN"}}};

TEST(JetsonIdentity, EveryFakeBoardIsKnown) {
  for (const auto& name : fake_board_names()) {
    const Board board(name);
    const Facts& expected = kFacts.at(name);
    const auto identity = identify_jetson(*board.sysfs);
    ASSERT_TRUE(identity) << name;
    EXPECT_EQ(identity->board, expected.board);
    EXPECT_EQ(identity->soc, expected.soc);
    EXPECT_EQ(identity->jetpack, expected.jetpack);
    EXPECT_EQ(identity->super, expected.board.ends_with("@super"));
  }
}

struct Tree {
  std::vector<const char*> compatible;
  const char* presets;  // names in nvpmodel.conf, separated by spaces
  const char* board;    // empty: no board file
  const char* module;
};

// A tree with this identity and nothing else.
void write_tree(const testing::TemporaryFolder& folder, const Tree& tree) {
  std::string list, conf;
  for (const char* entry : tree.compatible) list += std::string(entry) + '\0';
  int id = 0;
  for (const auto& name : split(tree.presets, ' ')) {
    if (!name.empty())
      conf += "< POWER_MODEL ID=" + std::to_string(id++) + " NAME=" + name + " >\n";
  }
  std::filesystem::create_directories(folder.path() / "proc/device-tree");
  std::filesystem::create_directories(folder.path() / "etc");
  folder.write("proc/device-tree/compatible", list);
  folder.write("proc/device-tree/model", std::string("NVIDIA Jetson of a test") + '\0');
  if (!conf.empty()) folder.write("etc/nvpmodel.conf", conf);
}

// The board files determine the board. The device tree or, if it does not help, the presets
// determine the BSP.
TEST(JetsonIdentity, TheBoardFilesDecide) {
  const Tree trees[] = {
      {{"nvidia,p3737-0000+p3701-0000", "nvidia,tegra234"},
       "MAXN MODE_15W",
       "agx-orin",
       "p3701-0000"},
      {{"nvidia,p3737-0000+p3701-0004", "nvidia,tegra234"}, "", "agx-orin-32gb", "p3701-0004"},
      {{"nvidia,p3768-0000+p3767-0005-super", "nvidia,tegra234"},
       "",
       "orin-nano-8gb@super",
       "p3767-0005"},
      {{"nvidia,p3768-0000+p3767-0005", "nvidia,tegra234"},
       "15W 7W",
       "orin-nano-8gb",
       "p3767-0005"},
      {{"nvidia,p3768-0000+p3767-0005", "nvidia,tegra234"},
       "15W 25W MAXN_SUPER",
       "orin-nano-8gb@super",
       "p3767-0005"},
      {{"acme,carrier+p3767-0001", "nvidia,tegra234"},
       "MAXN_SUPER 10W 15W 20W 40W",
       "orin-nx-8gb@super",
       "p3767-0001"},
      {{"nvidia,p3509-0000+p3668-0001", "nvidia,tegra194"}, "", "xavier-nx", "p3668-0001"},
      {{"nvidia,jetson-nano", "nvidia,p3450-0000", "nvidia,tegra210"},
       "MAXN 5W",
       "nano",
       "p3450-0000"},
      {{"nvidia,p2597-0000+p3310-1000", "nvidia,tegra186"}, "", "tx2", "p3310-1000"},
      {{"nvidia,quill", "nvidia,tegra186"}, "", "tx2", ""},
      {{"nvidia,p3509-0000+p3636-0001", "nvidia,tegra186"}, "MAXN", "", "p3636-0001"},
      {{"nvidia,p3542-0000+p3448-0003", "nvidia,tegra210"}, "", "", "p3448-0003"}};
  for (const auto& tree : trees) {
    const testing::TemporaryFolder folder;
    write_tree(folder, tree);
    const Sysfs sysfs(folder.path().string());
    const auto identity = identify_jetson(sysfs);
    ASSERT_TRUE(identity) << tree.compatible[0];
    EXPECT_EQ(identity->board, tree.board) << tree.compatible[0];
    EXPECT_EQ(identity->module, tree.module);
    if (*tree.board != 0) {
      EXPECT_EQ(local_board(sysfs), tree.board);
      EXPECT_NO_THROW(load_board(tree.board));
      continue;
    }
    try {
      local_board(sysfs);
      ADD_FAILURE() << "a board without a file is refused";
    } catch (const NotFoundError& error) {
      EXPECT_NE(std::string(error.what()).find(tree.module), std::string::npos) << error.what();
    }
  }
}

TEST(JetsonIdentity, EveryBoardFileIsRecognizedByWhatItStates) {
  const auto identity_of = [](const std::string& entry) {
    const testing::TemporaryFolder folder;
    write_tree(folder, {{entry.c_str(), "nvidia,tegra"}, "", "", ""});
    return identify_jetson(Sysfs(folder.path().string())).value();
  };
  for (const auto& name : list_boards()) {
    const ridgewatt::Board board = load_board(name);
    for (const std::string& entry : board.compatible) {
      const std::string board_there = identity_of(entry.substr(0, entry.find('*'))).board;
      EXPECT_EQ(board_there.substr(0, board_there.find('@')), name) << entry;
    }
    for (const std::string& module : board.modules) {
      const JetsonIdentity identity = identity_of("acme,carrier+" + module);
      EXPECT_EQ(identity.board, name) << module;
      EXPECT_EQ(identity.module, module);
    }
  }
}

TEST(JetsonIdentity, AnyOtherMachineIsNotAJetson) {
  const testing::TemporaryFolder folder;
  EXPECT_FALSE(local_board(Sysfs(folder.path().string())));
  EXPECT_FALSE(identify_jetson(Sysfs(folder.path().string())));
}

TEST(JetsonPower, TotalOfEveryBoard) {
  for (const auto& name : fake_board_names()) {
    const Board board(name);
    EXPECT_EQ(MachineSensors(*board.sysfs).rails().total_rule, kFacts.at(name).total) << name;
  }
}

// VIN_SYS_5V0 supplies VDDQ_VDD2_1V8AO: adding both would count the memory twice.
TEST(JetsonPower, AgxOrinIsTheSumOfThree) {
  const Board board("agx-orin-jp6");
  MachineSensors sensors(*board.sysfs);
  set_rail(board, sensors.rails(), "VDD_GPU_SOC", 20, 0.5);
  set_rail(board, sensors.rails(), "VDD_CPU_CV", 20, 0.25);
  set_rail(board, sensors.rails(), "VIN_SYS_5V0", 5, 0.8);
  set_rail(board, sensors.rails(), "VDDQ_VDD2_1V8AO", 5, 0.3);
  EXPECT_NEAR(*sensors.read().total_w, 10 + 5 + 4, 1e-9);
  EXPECT_FALSE(channel(sensors.rails(), "VDDQ_VDD2_1V8AO")->in_total);
}

TEST(JetsonPower, NotConnectedChannelsAreSkippedAndSaid) {
  const Board board("agx-orin-jp6");
  const auto rails = find_power_rails(*board.sysfs, "agx-orin");
  EXPECT_EQ(rails.channels.size(), 4u);
  ASSERT_EQ(rails.skipped.size(), 2u);
  EXPECT_EQ(rails.skipped[0].reason, "not connected");
  EXPECT_EQ(rails.skipped[1].where, "ina3221 1-0041 channel 3");
}

// On Thor, the sum of the three rails is less than the input. jetson_stats before 2025 reported the
// sum.
TEST(JetsonPower, ThorIsTheInput) {
  const Board board("thor");
  MachineSensors sensors(*board.sysfs);
  set_rail(board, sensors.rails(), "VIN", 19.5, 4);
  set_rail(board, sensors.rails(), "VDD_GPU", 20, 1);
  EXPECT_NEAR(*sensors.read().total_w, 78, 1e-6);
}

TEST(JetsonPower, XavierSumOfSix) {
  Board board("agx-xavier");
  const std::string device = "/sys/devices/platform/i2c-1/1-0040/iio:device0";
  const std::string second = "/sys/devices/platform/i2c-1/1-0041/iio:device1";
  for (int rail = 0; rail < 6; ++rail) {
    board.set((rail < 3 ? device : second) + "/in_power" + std::to_string(rail % 3) + "_input",
              std::to_string(1000 * (rail + 1)));
  }
  MachineSensors sensors(*board.sysfs);
  EXPECT_EQ(sensors.rails().total_rule, "GPU + CPU + SOC + CV + VDDRQ + SYS5V");
  EXPECT_NEAR(*sensors.read().total_w, 1 + 2 + 3 + 4 + 5 + 6, 1e-9);
  // If one rail fails, there is no total, instead of a total without that rail.
  board.set(second + "/in_power1_input", "!EIO");
  EXPECT_FALSE(sensors.read().total_w);
  EXPECT_EQ(MachineSensors(*board.sysfs).rails().total_note, "no total: rail VDDRQ cannot be read");
}

// A name that only contains a known name, or is part of one, is another rail.
TEST(JetsonPower, RailsAreMatchedWhole) {
  for (const char* label : {"VDD_IN_AUX", "MY_VDD_IN", "VIN_SYS_5V0", "vdd_in", "VDD_I"}) {
    const Board board("orin-nano");
    board.set("/sys/class/hwmon/hwmon0/in1_label", label);
    const auto rails = find_power_rails(*board.sysfs, "orin-nano");
    EXPECT_EQ(rails.total_rule, "") << label;
    EXPECT_NE(channel(rails, label), nullptr);
  }
}

TEST(JetsonPower, CombinedRailsKeepTheirName) {
  const Board board("orin-nano");
  const auto rails = find_power_rails(*board.sysfs, "orin-nano");
  EXPECT_NE(channel(rails, "VDD_CPU_GPU_CV"), nullptr);
  EXPECT_EQ(rails.channels.size(), 3u);  // without channel 7, which is a sum
}

TEST(JetsonPower, DisabledFailingAndVanishedChannels) {
  const Board board("orin-nano");
  board.set("/sys/class/hwmon/hwmon0/in2_enable", "0");
  board.set("/sys/class/hwmon/hwmon0/curr3_input", "!ENODATA");
  const auto rails = find_power_rails(*board.sysfs, "orin-nano");
  EXPECT_EQ(rails.channels.size(), 1u);
  ASSERT_EQ(rails.skipped.size(), 2u);
  EXPECT_EQ(rails.skipped[0].reason, "disabled");
  EXPECT_EQ(rails.skipped[1].reason, "disabled");
  MachineSensors sensors(*board.sysfs);
  std::filesystem::remove(
      sensors.jetson() ? board.sysfs->host_path("/sys/class/hwmon/hwmon0/in1_input") : "");
  EXPECT_FALSE(sensors.read().total_w);
}

// Both readers of a rail's files, with and without open descriptors, must agree on which texts are
// numbers.
TEST(JetsonPower, ASensorsTextIsANumberOrNothing) {
  EXPECT_EQ(sensor_number("5064\n"), 5064);
  EXPECT_EQ(sensor_number("-12"), -12);
  for (const char* text : {"", "\n", "5064 mV", "0x10", "nan", "inf", "1\n2"}) {
    EXPECT_EQ(sensor_number(text), std::nullopt) << text;
  }
}

TEST(JetsonPower, ATotalThatLacksAPartIsNoNumber) {
  const std::vector<PowerSource::Channel> channels = {{"a", true}, {"b", false}, {"c", true}};
  std::vector<double> power_w = {1, 2, 4};
  const auto total_w = [&] {
    return total_power_w(channels, [&](std::size_t i) { return power_w[i]; });
  };
  EXPECT_EQ(total_w(), 5);
  power_w[1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(total_w(), 5);
  power_w[2] = power_w[1];
  EXPECT_TRUE(std::isnan(total_w().value()));
  const std::vector<PowerSource::Channel> none = {{"b", false}};
  EXPECT_EQ(total_power_w(none, [](std::size_t) { return 1.0; }), std::nullopt);
}

// The numbers of hwmon folders change between boots.
TEST(JetsonPower, HwmonNumbersDoNotMatter) {
  const Board board("thor");
  const auto folder = std::filesystem::path(board.root) / "sys/class/hwmon";
  std::filesystem::rename(folder / "hwmon0", folder / "hwmon7");
  std::filesystem::rename(folder / "hwmon1", folder / "hwmon0");
  EXPECT_EQ(find_power_rails(*board.sysfs, "thor").total_rule, "VIN");
}

// If the user may not read rail_name_* of the old driver, the board's table is used.
TEST(JetsonPower, IioLabelsFromTheBoardsTable) {
  const Board board("nano");
  for (int i = 0; i < 3; ++i) {
    std::filesystem::remove(board.sysfs->host_path(
        "/sys/devices/platform/i2c-6/6-0040/iio:device0/rail_name_" + std::to_string(i)));
  }
  EXPECT_EQ(find_power_rails(*board.sysfs, "nano").total_rule, "POM_5V_IN");
  EXPECT_EQ(find_power_rails(*board.sysfs, "").channels.size(), 0u);
}

TEST(JetsonSensors, ZonesWithoutPowerHaveNoTemperature) {
  for (const char* name : {"agx-orin-jp5", "agx-orin-jp6"}) {
    const Board board(name);
    const auto snapshot = SensorReader(*board.sysfs).read();
    const auto off = std::count_if(snapshot.temperatures.begin(), snapshot.temperatures.end(),
                                   [](const auto& zone) { return zone.note == "no power"; });
    EXPECT_EQ(off, 4) << name;
    EXPECT_EQ(snapshot.temperatures.size(), 9u);
    EXPECT_DOUBLE_EQ(*snapshot.temperatures[0].celsius, 41.0);
  }
}

TEST(JetsonSensors, ClocksOfEveryBoard) {
  for (const auto& name : fake_board_names()) {
    const Board board(name);
    const auto spec = fake_board_spec(name);
    const auto snapshot = SensorReader(*board.sysfs).read();
    const auto clock = [&](const std::string& wanted) {
      for (const auto& entry : snapshot.clocks) {
        if (entry.name == wanted) return entry.clock_hz;
      }
      return 0.0;
    };
    EXPECT_EQ(clock("cpu0"), std::max(spec.cpu_floor_khz, spec.cpu_khz.front()) * 1e3) << name;
    EXPECT_EQ(clock(kFacts.at(name).gpu_clock), spec.gpu_hz.front()) << name;
    EXPECT_EQ(clock("emc"), spec.emc_hz.back()) << name;
    EXPECT_EQ(snapshot.memory_total_bytes, spec.memory_bytes) << name;
  }
}

TEST(JetsonSensors, ThrottlingIsSeen) {
  const Board board("agx-orin-jp6");
  const auto before = read_throttling(*board.sysfs);
  EXPECT_TRUE(throttled(before, before).empty());
  board.set("/sys/class/hwmon/hwmon2/oc2_event_cnt", "3");
  board.set("/sys/class/thermal/cooling_device0/cur_state", "1");
  EXPECT_EQ(throttled(before, read_throttling(*board.sysfs)),
            (std::vector<std::string>{"over-current oc2", "cpu-throttle-alert"}));
}

// An absolute link in a recorded tree stays inside that tree, and a loop of links ends.
TEST(Sysfs, LinksStayInsideTheRoot) {
  const testing::TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() / "etc/nvpmodel");
  folder.write("etc/nvpmodel/board.conf", "inside\n");
  std::filesystem::create_symlink("/etc/nvpmodel/board.conf", folder.path() / "etc/nvpmodel.conf");
  std::filesystem::create_symlink("../../../../../../../etc/nvpmodel.conf", folder.path() / "up");
  std::filesystem::create_symlink("loop", folder.path() / "loop");
  const Sysfs sysfs(folder.path().string());
  EXPECT_EQ(sysfs.text("/etc/nvpmodel.conf"), "inside");
  EXPECT_EQ(sysfs.text("/up"), "inside");
  EXPECT_FALSE(sysfs.text("/loop"));
  EXPECT_FALSE(sysfs.text("/etc"));
}

// Swap, and fans in the format of JetPack 5 and later.
TEST(SensorReader, FansAndSwap) {
  const Board board("agx-orin-jp6");
  board.add_fans_and_swap();
  const auto reading = MachineSensors(*board.sysfs).read();
  ASSERT_EQ(reading.snapshot.fans.size(), 3u);
  EXPECT_DOUBLE_EQ(*reading.snapshot.fans[0].duty, 0.2);
  EXPECT_EQ(*reading.snapshot.fans[1].rpm, 1710);
  EXPECT_EQ(*reading.snapshot.fans[2].duty, 1);
  EXPECT_EQ(reading.snapshot.swap_free_bytes, 3072.0 * 1024);
}

}  // namespace
}  // namespace ridgewatt::platform
