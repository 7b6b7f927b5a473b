#include "ridgewatt/device/board.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <type_traits>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/device/preset_sms.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/io/json.h"

namespace ridgewatt {
namespace {

using ::testing::HasSubstr;

// Published sizes of the mode spaces. The grid is 1 to all cores times the three clock tables.
TEST(Board, ModeCountsAreThePublishedOnes) {
  EXPECT_EQ(knob_space(load_board("agx-orin")).size(), 18096u);  // PowerTrain, Fulcrum
  EXPECT_EQ(knob_space(load_board("agx-orin"), "jp5.0").size(), 18096u);
  EXPECT_EQ(knob_space(load_board("agx-orin"), "jp5.1").size(), 15312u);
  EXPECT_EQ(knob_space(load_board("agx-orin@jp5.1")).size(), 15312u);
  EXPECT_EQ(knob_space(load_board("agx-xavier")).size(), 29232u);  // PowerTrain
  EXPECT_EQ(knob_space(load_board("orin-nano")).size(), 1800u);    // PowerTrain
}

struct Peak {
  const char* board;
  double tflops_fp32, tflops_fp16, tops_int8, bandwidth_gb;  // 0: not supported
};

// Rows of NVIDIA's data sheets (dense, GPU only), with the published number of digits.
class DatasheetPeak : public ::testing::TestWithParam<Peak> {};
TEST_P(DatasheetPeak, AtTheTopMode) {
  const Peak& expected = GetParam();
  const Board board = load_board(expected.board);
  const PowerMode top = knob_space(board).top();
  EXPECT_NEAR(peak_flops(board, top, Arithmetic::kFp32) / 1e12, expected.tflops_fp32, 0.00051);
  EXPECT_NEAR(peak_flops(board, top, Arithmetic::kFp16) / 1e12, expected.tflops_fp16, 0.0051);
  if (expected.tops_int8 > 0) {
    EXPECT_NEAR(peak_flops(board, top, Arithmetic::kInt8) / 1e12, expected.tops_int8, 0.051);
  } else {
    EXPECT_FALSE(supports(board, Arithmetic::kInt8));
    EXPECT_THROW(peak_flops(board, top, Arithmetic::kInt8), NotSupportedError);
  }
  EXPECT_NEAR(peak_bandwidth(board, top) / 1e9, expected.bandwidth_gb, 0.051);
  EXPECT_EQ(peak_flops(board, PowerMode{}, Arithmetic::kFp32),
            peak_flops(board, top, Arithmetic::kFp32));
}
INSTANTIATE_TEST_SUITE_P(AllBoards, DatasheetPeak,
                         ::testing::Values(Peak{"nano", 0.236, 0.47, 0, 25.6},
                                           Peak{"tx2", 0.666, 1.33, 0, 59.7},
                                           Peak{"xavier-nx", 0.852, 6.82, 13.6, 59.7},
                                           Peak{"agx-xavier", 1.410, 11.28, 22.6, 136.5},
                                           Peak{"orin-nano-4gb", 0.640, 5.12, 10.2, 34.1},
                                           Peak{"orin-nano-4gb@super", 1.044, 8.36, 16.7, 51.2},
                                           Peak{"orin-nano-8gb", 1.279, 10.24, 20.5, 68.3},
                                           Peak{"orin-nano-8gb@super", 2.089, 16.71, 33.4, 102.4},
                                           Peak{"orin-nx-16gb", 1.880, 15.04, 30.1, 102.4},
                                           Peak{"orin-nx-16gb@super", 2.402, 19.22, 38.4, 102.4},
                                           Peak{"agx-orin-32gb", 3.333, 26.66, 53.3, 204.7},
                                           Peak{"agx-orin", 5.327, 42.61, 85.2, 204.7},
                                           Peak{"thor", 8.064, 258.05, 516.1, 273.0}));

TEST(Board, PresetsScaleSmsClocksAndBandwidth) {
  const Board board = load_board("agx-orin@jp5.1");
  const Preset& preset = find_preset(board, "mode_30w");
  EXPECT_EQ(preset.mode, (PowerMode{8, 1728e6, 612e6, 3199e6, ""}));
  EXPECT_EQ(preset.sms, 8);  // mask 240 switches off 4 of 8 TPCs
  EXPECT_NEAR(peak_flops(board, preset.mode, Arithmetic::kFp32, preset.sms) / 1e12, 1.253, 5e-4);
  EXPECT_EQ(peak_bandwidth(board, preset.mode), 256 / 8 * 2 * 3199e6);
  EXPECT_EQ(find_preset(board, "MAXN").mode, knob_space(board).top());
  EXPECT_EQ(find_preset(board, "MODE_15W").sms, 6);
  // The same caps with the older GPU table, which lacks 612 MHz.
  EXPECT_EQ(find_preset(load_board("agx-orin"), "MODE_30W").mode.gpu_clock_hz, 624.75e6);
  EXPECT_THROW(find_preset(board, "MODE_31W"), NotFoundError);
}

// `device show` and `roofline` must state the same peak for a preset.
TEST(Board, CeilingsCountTheSmsThatAPresetLeavesOn) {
  const Board board = load_board("agx-orin");
  const Preset& preset = find_preset(board, "MODE_15W");
  EXPECT_EQ(sms_on(board, preset.mode), 6);
  EXPECT_EQ(sms_on(board, PowerMode{}), board.sms);
  EXPECT_EQ(compute_ceiling(board, preset.mode, Arithmetic::kFp32),
            peak_flops(board, preset.mode, Arithmetic::kFp32, preset.sms));
  EXPECT_EQ(cache_levels(board, preset.mode).front().bandwidth_bytes_per_s,
            6 * 128 * preset.mode.gpu_clock_hz);
  EXPECT_EQ(sms_off_texts(board, {preset.mode, knob_space(board).top()}),
            (std::vector<std::string>{"MODE_15W leaves 6 of 16 SMs on"}));
}

// Functions of a temporary board return copies: `for (.. : presets(load_board(name)))` once read
// freed memory, and `tune` crashed.
TEST(Board, WhatATemporaryGivesIsACopy) {
  static_assert(std::is_same_v<decltype(presets(load_board(""))), std::vector<Preset>>);
  static_assert(std::is_same_v<decltype(find_preset(load_board(""), "")), Preset>);
  static_assert(std::is_same_v<decltype(load_board("").find_bsp()), Bsp>);
  static_assert(std::is_same_v<decltype(find_fact(load_board(""), "")), std::optional<Fact>>);
  static_assert(
      std::is_same_v<decltype(knob_space(load_board("")).modes()), std::vector<PowerMode>>);
  static_assert(std::is_same_v<decltype(knob_space(load_board("")).top()), PowerMode>);
  for (const auto& name : list_boards()) {
    std::size_t named = 0;
    for (const auto& preset : presets(load_board(name))) named += preset.name.empty() ? 0 : 1;
    EXPECT_EQ(named, load_board(name).find_bsp().presets.size()) << name;
  }
}

TEST(Board, PresetsBearShortNames) {
  const Board orin = load_board("agx-orin");
  EXPECT_EQ(find_preset(orin, "15w").name, "MODE_15W");
  const Board xavier = load_board("agx-xavier");
  EXPECT_EQ(find_preset(xavier, "10W").name, "MODE_10W");
  // A complete name takes precedence over names that begin with it.
  EXPECT_EQ(find_preset(xavier, "15W").name, "MODE_15W");
  try {
    find_preset(xavier, "30W");
    ADD_FAILURE() << "30W is four presets";
  } catch (const UsageError& error) {
    for (const char* name : {"_ALL", "_6CORE", "_4CORE", "_2CORE"}) {
      EXPECT_THAT(error.what(), HasSubstr(std::string("MODE_30W") + name));
    }
  }
  try {
    find_preset(load_board("orin-nano"), "25W");
    ADD_FAILURE() << "jp5 has no 25W";
  } catch (const NotFoundError& error) {
    EXPECT_THAT(error.what(), HasSubstr("orin-nano-8gb@super has it"));
  }
  EXPECT_EQ(preset_name(orin, find_preset(orin, "MODE_30W").mode), "MODE_30W");
  EXPECT_EQ(preset_name(orin, knob_space(orin)[0]), "");
  EXPECT_EQ(power_in_name_w("MODE_30W_6CORE"), 30);
  EXPECT_EQ(power_in_name_w("7W_AI"), 7);
  EXPECT_EQ(power_in_name_w("MAXN"), std::nullopt);
}

// NVIDIA, Introducing Jetson Thor (2025): 517 TFLOPS of sparse FP16 and 1035 of sparse INT8; dense
// rates are half of these. TF32 is half as fast as BF16 on every tensor core that has either (A100:
// 156 and 312 TFLOPS).
TEST(Board, EveryPrecisionIsStated) {
  for (const auto& name : list_boards()) {
    const Board board = load_board(name);
    for (const Arithmetic arithmetic : kArithmetics) {
      EXPECT_TRUE(stated_rate(board, arithmetic)) << name << " " << name_of(arithmetic);
    }
    EXPECT_EQ(*stated_rate(board, Arithmetic::kTf32), *stated_rate(board, Arithmetic::kBf16) / 2);
    constexpr std::string_view kBeforeAmpere[] = {"Maxwell", "Pascal", "Volta", "Turing"};
    const bool before =
        std::any_of(std::begin(kBeforeAmpere), std::end(kBeforeAmpere),
                    [&](auto older) { return board.gpu_architecture.starts_with(older); });
    EXPECT_EQ(supports(board, Arithmetic::kTf32), !before) << name;
  }
  const Board thor = load_board("thor");
  const PowerMode top = knob_space(thor).top();
  EXPECT_NEAR(peak_flops(thor, top, Arithmetic::kFp16) / 1e12, 517 / 2.0, 1);
  EXPECT_NEAR(peak_flops(thor, top, Arithmetic::kInt8) / 1e12, 1035 / 2.0, 2);
}

TEST(Board, ARateThatIsNotStatedIsRefusedByName) {
  std::string text = load_board("thor").toml;
  for (const std::string key : {"bf16_flop_per_sm_cycle", "tf32_flop_per_sm_cycle"}) {
    const auto at = text.find(key);
    text.erase(at, text.find('\n', at) - at);
  }
  const Board board = parse_board(text, "own.toml");
  EXPECT_FALSE(supports(board, Arithmetic::kTf32));
  try {
    peak_flops(board, PowerMode{}, Arithmetic::kTf32);
    ADD_FAILURE() << "no rate of TF32";
  } catch (const NotSupportedError& error) {
    EXPECT_THAT(error.what(), HasSubstr("states no peak rate for tf32"));
  }
  const Board nano = load_board("nano");
  try {
    peak_flops(nano, PowerMode{}, Arithmetic::kBf16);
    ADD_FAILURE() << "no BF16";
  } catch (const NotSupportedError& error) {
    EXPECT_THAT(error.what(), HasSubstr("has no units for bf16"));
  }
}

TEST(Board, RoundedCapsMeanTheTableEntry) {
  const auto mode = [](const char* board, const char* preset) {
    return find_preset(load_board(board), preset).mode;
  };
  EXPECT_EQ(mode("nano", "5W"), (PowerMode{2, 921.6e6, 614.4e6, 1600e6, ""}));
  EXPECT_EQ(mode("agx-xavier", "MODE_30W_ALL"), (PowerMode{8, 1190.4e6, 905.25e6, 1600e6, ""}));
  // Core 0 of the TX2 is always on and not in the file; 1200 MHz is far below 1267.2.
  EXPECT_EQ(mode("tx2", "MAXQ"), (PowerMode{4, 1113.6e6, 854.25e6, 1331.2e6, ""}));
  EXPECT_EQ(find_preset(load_board("tx2"), "MAXQ").sms, 2);
  EXPECT_EQ(find_preset(load_board("thor"), "90W").sms, 0);  // unknown
}

TEST(Board, TpcMaskBitsSwitchOff) {
  const Board orin = load_board("agx-orin");
  for (const auto& [mask, sms] :
       std::vector<std::pair<unsigned, int>>{{0, 16}, {128, 14}, {240, 8}, {248, 6}, {252, 4}}) {
    EXPECT_EQ(sms_for_tpc_mask(orin, mask), sms) << mask;
  }
  const Board xavier = load_board("agx-xavier");
  EXPECT_EQ(sms_for_tpc_mask(xavier, 1), 6);
  EXPECT_EQ(sms_for_tpc_mask(xavier, 5), 4);
  EXPECT_EQ(sms_for_tpc_mask(load_board("nano"), 3), 1);
}

TEST(Board, EveryBoardIsWhole) {
  const auto names = list_boards();
  EXPECT_FALSE(names.empty());
  for (const auto& name : names) {
    const Board board = load_board(name);
    EXPECT_EQ(board.name, name);
    EXPECT_GE(board.memory_bytes, board.visible_memory_bytes) << name;
    // A module keeps a part of its memory for firmware. Its file must state what Linux sees.
    if (board.has_gpu() && !board.discrete_gpu) {
      EXPECT_NE(find_fact(board, "memory.visible_mib"), nullptr) << name;
      EXPECT_LT(board.visible_memory_bytes, board.memory_bytes) << name;
    }
    for (const auto& bsp : board.bsps) {
      const KnobSpace space = knob_space(board, bsp.name);
      EXPECT_TRUE(std::is_sorted(space.modes().begin(), space.modes().end()));
      std::size_t product = 1;
      for (const Knob knob : kKnobs) {
        const auto& levels = space.levels(knob);
        EXPECT_TRUE(std::is_sorted(levels.begin(), levels.end()));
        product *= levels.size();
      }
      EXPECT_EQ(space.size(), product);
      for (const auto& preset : bsp.presets) {
        PowerMode clocks = preset.mode;
        if (board.discrete_gpu) clocks.governor.clear();  // its limit
        EXPECT_TRUE(space.find(clocks)) << name << " " << preset.name;
        EXPECT_LE(preset.sms, board.sms);
      }
      // A higher clock or more cores never lowers a peak.
      EXPECT_GE(peak_flops(board, space.top(), Arithmetic::kFp32),
                peak_flops(board, space[0], Arithmetic::kFp32));
      EXPECT_GE(peak_bandwidth(board, space.top()), peak_bandwidth(board, space[0]));
    }
    for (const char* key : {"cpu.cores", "gpu.sms", "memory.bus_bits"}) {
      ASSERT_NE(find_fact(board, key), nullptr) << name << " " << key;
    }
  }
  EXPECT_EQ(find_fact(load_board("agx-orin"), "cpu.flop_per_cycle")->status, "unverified");
  EXPECT_EQ(find_fact(load_board("agx-orin"), "cpu.cores")->status, "seen");
}

// NVIDIA's data sheet of the A40: 37.4 TFLOPS of FP32, 149.7 of FP16, 696 GB/s, 300 W.
TEST(Board, ADiscreteGpuHasPowerLimitsAsModes) {
  const Board a40 = load_board("nvidia-a40");
  EXPECT_NEAR(peak_flops(a40, PowerMode{}, Arithmetic::kFp32) / 1e12, 37.4, 0.05);
  EXPECT_NEAR(peak_flops(a40, PowerMode{}, Arithmetic::kFp16) / 1e12, 149.7, 0.1);
  EXPECT_NEAR(peak_bandwidth(a40, PowerMode{}) / 1e9, 696, 1);
  // Data sheets: 34.1 and 16.3 TFLOPS in FP32; 130.5 TFLOPS of FP16 on the tensor cores of the
  // Titan.
  const Board geforce = load_board("rtx3080ti"), titan = load_board("titan-rtx");
  EXPECT_NEAR(peak_flops(geforce, PowerMode{}, Arithmetic::kFp32) / 1e12, 34.1, 0.05);
  EXPECT_NEAR(peak_bandwidth(geforce, PowerMode{}) / 1e9, 912, 1);
  EXPECT_NEAR(peak_flops(titan, PowerMode{}, Arithmetic::kFp32) / 1e12, 16.3, 0.05);
  EXPECT_NEAR(peak_flops(titan, PowerMode{}, Arithmetic::kFp16) / 1e12, 130.5, 0.1);
  EXPECT_NEAR(peak_bandwidth(titan, PowerMode{}) / 1e9, 672, 1);
  EXPECT_EQ(knob_space(a40).levels(Knob::kCpuCores).size(), 1u);
  EXPECT_EQ(knob_space(a40).size(), 103u);
  EXPECT_EQ(mode_space(a40).size(), 103u + 9u);
  EXPECT_EQ(find_preset(a40, "150w").mode, (PowerMode{8, 3000e6, 1740e6, 7251e6, "150W"}));
  EXPECT_EQ(preset_name(a40, find_preset(a40, "150W").mode), "150W");
  EXPECT_EQ(a40.find_bsp().default_preset, 300);
  const Board orin = load_board("agx-orin");
  EXPECT_EQ(mode_space(orin).size(), knob_space(orin).size());
}

TEST(Board, PowerLimitsAreWholeWattsThatAscend) {
  const std::string text = load_board("a40").toml;
  const std::string limits = "power_limits_w = [100, 125, 150, 175, 200, 225, 250, 275, 300]";
  const auto at = text.find(limits);
  ASSERT_NE(at, std::string::npos);
  for (const char* wrong : {"[]", "[200, 100]", "[100, 100]", "[0.5]", "[150.5]", "300", "[2000]",
                            "[nan]", "[\"100\"]"}) {
    std::string changed = text;
    changed.replace(at, limits.size(), std::string("power_limits_w = ") + wrong);
    EXPECT_THROW(parse_board(changed, "own.toml"), InputError) << wrong;
  }
}

TEST(Board, EmbeddedFilesAreTheFilesByteForByte) {
  for (const auto& name : list_boards()) {
    const auto path = testing::source_folder() / "boards" / (name + ".toml");
    EXPECT_EQ(load_board(name).toml, read_file(path.string())) << name;
  }
  EXPECT_EQ(load_board((testing::source_folder() / "boards" / "tx2.toml").string()).name, "tx2");
}

struct Recorded {
  const char* board;
  const char* entry;      // in freqs.json
  const char* gpu_table;  // key of the GPU table; empty: not recorded
  const char* presets;    // key of the preset file

  friend void PrintTo(const Recorded& recorded, std::ostream* out) { *out << recorded.board; }
};

// Compares tables and presets with the recorded ones, number by number.
class RecordedBoard : public ::testing::TestWithParam<Recorded> {};
TEST_P(RecordedBoard, EqualsTheRecord) {
  RIDGEWATT_REQUIRE_SHARED();
  const auto file = testing::shared_folder() / "jetson" / "freqs.json";
  const Json record = Json::parse(read_file(file.string()))["boards"][GetParam().entry];
  const Board board = load_board(GetParam().board);
  const Bsp& bsp = board.find_bsp();
  const KnobSpace space = knob_space(board);
  if (*GetParam().gpu_table != '\0') {
    EXPECT_EQ(space.levels(Knob::kGpuClock),
              record["gpu"][GetParam().gpu_table].get<std::vector<double>>());
  }
  const Json clocks = record.value(Json::json_pointer("/cpu/available_hz"), Json());
  if (clocks.is_array()) {
    EXPECT_EQ(space.levels(Knob::kCpuClock), clocks.get<std::vector<double>>());
  }
  const Json& presets = record[GetParam().presets];
  EXPECT_EQ(bsp.default_preset, presets["default_id"].get<int>());
  ASSERT_EQ(bsp.presets.size(), presets["modes"].size());
  for (std::size_t i = 0; i < bsp.presets.size(); ++i) {
    const Preset& preset = bsp.presets[i];
    const Json& mode = presets["modes"][i];
    EXPECT_EQ(preset.name, mode["name"].get<std::string>());
    EXPECT_EQ(preset.id, mode["id"].get<int>());
    // Core 0 of the TX2 is always on and not in its file.
    const int hidden_cores = board.name == "tx2" ? 1 : 0;
    EXPECT_EQ(preset.mode.cpu_cores, mode["cores_online"].get<int>() + hidden_cores);
    if (mode.contains("tpc_pg_mask")) {
      EXPECT_EQ(preset.sms, sms_for_tpc_mask(board, mode["tpc_pg_mask"].get<unsigned>()));
    }
    const auto near_cap = [&](Knob knob, double cap_hz) {
      if (cap_hz <= 0) {
        EXPECT_EQ(preset.mode.get(knob), space.levels(knob).back()) << preset.name;
      } else {  // a table entry close to the cap: at most 5 % above it or one step below it
        EXPECT_LE(preset.mode.get(knob), cap_hz * 1.05) << preset.name;
        EXPECT_GE(preset.mode.get(knob), cap_hz * 0.92) << preset.name;
      }
    };
    near_cap(Knob::kGpuClock, mode["gpu_hz"]["MAX_FREQ"].get<double>());
    near_cap(Knob::kMemClock, mode["emc_hz"]["MAX_FREQ"].get<double>());
    for (const auto& [cpu, caps] : mode["cpu_khz"].items()) {
      near_cap(Knob::kCpuClock, caps["MAX_FREQ"].get<double>() * 1e3);
    }
  }
}
INSTANTIATE_TEST_SUITE_P(
    AllBoards, RecordedBoard,
    ::testing::Values(
        Recorded{"nano", "jetson_nano_4gb", "available_hz", "nvpmodel"},
        Recorded{"tx2", "jetson_tx2", "available_hz", "nvpmodel"},
        Recorded{"tx2@jp3", "jetson_tx2", "available_hz_jp3", "nvpmodel"},
        Recorded{"xavier-nx", "jetson_xavier_nx", "available_hz", "nvpmodel"},
        Recorded{"agx-xavier", "jetson_agx_xavier", "available_hz", "nvpmodel"},
        Recorded{"agx-orin@jp5.0", "jetson_agx_orin_64gb", "available_hz_jp50", "nvpmodel"},
        Recorded{"agx-orin@jp5.1", "jetson_agx_orin_64gb", "available_hz", "nvpmodel"},
        Recorded{"agx-orin-32gb", "jetson_agx_orin_32gb", "", "nvpmodel"},
        Recorded{"orin-nx-16gb", "jetson_orin_nx_16gb", "available_hz", "nvpmodel"},
        Recorded{"orin-nx-16gb@super", "jetson_orin_nx_16gb", "", "nvpmodel_super"},
        Recorded{"orin-nx-8gb", "jetson_orin_nx_8gb", "", "nvpmodel"},
        Recorded{"orin-nx-8gb@super", "jetson_orin_nx_8gb", "", "nvpmodel_super"},
        Recorded{"orin-nano", "jetson_orin_nano_8gb", "available_hz_nonsuper", "nvpmodel"},
        Recorded{"orin-nano@super", "jetson_orin_nano_8gb", "available_hz_super", "nvpmodel_super"},
        Recorded{"orin-nano-4gb", "jetson_orin_nano_4gb", "", "nvpmodel"},
        Recorded{"orin-nano-4gb@super", "jetson_orin_nano_4gb", "", "nvpmodel_super"}));

std::string agx_orin_toml() {
  return load_board("agx-orin").toml;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(BoardFile, TwinParametersGoInAndOut) {
  Board board = load_board("agx-orin");
  board.toml += "\n# kept\n[twin]\nold = 1\n[twin.time]\nolder = 2\n";
  TwinTable twin;
  twin.numbers = {{"launch_s", 1.25e-5}, {"time.big", 3e10}, {"time.one", 1}, {"zero", 0}};
  twin.texts = {{"status", "fitted: \"sweeps\"\\\n"}};
  const Board copy = parse_board(board_toml_with_twin(board, twin), "copy");
  EXPECT_EQ(copy.twin.numbers, twin.numbers);
  EXPECT_EQ(copy.twin.texts, twin.texts);
  EXPECT_EQ(knob_space(copy).size(), 18096u);
  EXPECT_EQ(board_toml_with_twin(copy, twin), copy.toml);
  twin.numbers["bad key\n"] = 1;
  EXPECT_THROW(board_toml_with_twin(board, twin), UsageError);
}

// label: slow
TEST(BoardFile, FaultsAreNamed) {
  const std::string good = agx_orin_toml();
  ASSERT_NO_THROW(parse_board(good, "f"));
  const std::vector<std::pair<std::string, std::string>> faults = {
      {replaced(good, "cores = 12", "cores = \"12\""), "'cpu.cores' must be a number"},
      {replaced(good, "cores = 12", "cores = 1.5"), "'cpu.cores' must be a whole number"},
      {replaced(good, "cores = 12", "cores = nan"), "'cpu.cores' must be a number"},
      {replaced(good, "cores = 12", "cors = 12"), "'cpu.cores' is missing"},
      {replaced(good, "soc =", "sock = 1\nsoc ="), "'sock' is not a key"},
      {replaced(good, "114.75,", "114750,"), "'bsp.jp5.0.gpu_mhz' is 114750"},
      {replaced(good, "[114.75, 216.75", "[216.75, 114.75"), "must be in ascending order"},
      {replaced(good, "default_bsp = \"jp5.0\"", "default_bsp = \"jp4\""), "no BSP 'jp4'"},
      {replaced(good, "default_preset = 2", "default_preset = 9"), "not the id of a preset"},
      {replaced(good, "\"memory\" = ", "\"memo\" = "), "has no entry in [provenance]"},
      {replaced(good, "\"seen: kernel's", "\"said: kernel's"), "STATUS: SOURCE"},
      {replaced(good, "tpc_mask = 248", "tpc_mask = 300"), "tpc_mask' is 300"},
      {replaced(good, "gb_per_s = [176, 189]", "gb_per_s = [189, 176]"), "[lowest, highest]"},
      {replaced(good, "gb_per_s = [176, 189]", "gb_per_s = 189"), "[lowest, highest]"},
      {replaced(good, "default_bsp", "relative = \"./f.toml\"\ndefault_bsp"), "a built-in board"},
      {replaced(good, "default_bsp", "engines = \"x@y\"\ndefault_bsp"), "a built-in board"},
      {replaced(good, "limit_w = 60", "limit = 60"), "'power.limit_w' is missing"},
      {replaced(good, "limit_w = 60", "limit_w = 60\nmax_w = 70"), "'power.max_w' is not a key"},
      {replaced(good, "\"power.limit_w\" = ", "\"pow\" = "), "'power.limit_w' has no entry"},
      {replaced(good, "[power]", "[loader]\nhand_over_cycles = 1e6\n[power]"),
       "'loader.hand_over_cycles_per_byte' is missing"},
      {replaced(good, "[power]",
                "[loader]\nhand_over_cycles = -1\nhand_over_cycles_per_byte = 1\n[power]"),
       "'loader.hand_over_cycles' is -1"},
      {replaced(good, "[power]",
                "[loader]\nhand_over_cycles = 1e6\nhand_over_cycles_per_byte = 1\n[power]"),
       "has no entry in [provenance]"},
      {replaced(good, "[power]",
                "[loader]\nhand_over_cycles = 1e6\nhand_over_cycles_per_byte = 1\n"
                "hand_over_memory_share = 1.5\n[power]"),
       "'loader.hand_over_memory_share' is 1.5"},
      {replaced(good, "lowest_cpu_mhz = 729.6", "lowest_cpu_mhz = 0"),
       "'governor.lowest_cpu_mhz' is 0"},
      {replaced(good, "lowest_cpu_mhz = 729.6", "lowest_mem_mhz = 204"),
       "'governor.lowest_mem_mhz' is not a key"},
      {replaced(good, "\"governor\" = ", "\"govern\" = "), "has no entry in [provenance]"},
      {replaced(good, "system_mib = 1536", "system_mib = 99999"),
       "must be less than the visible memory"},
      {replaced(good, "visible_mib = 62795", "visible_mib = 65537"),
       "'memory.visible_mib' must not be more than 'size_gib'"},
      {replaced(good, "size_gib = 64", "size_gib = 4"), "must not be more than 'size_gib'"},
      {replaced(good, "[twin]\n", "[twin]\nx = nan\n"), "'twin.x' must be a finite number"},
      {replaced(good, "[twin]\n", "[twin]\nx = [1]\n"), "'twin.x' must be a finite number"},
      {"[[[", "f line 1"},
      {"\n\xCD\x81 = 1", "f line 2"},  // the library's parser has undefined behavior on this text
      {"a = \"\xCD\x81\" \xCD\x81", "f line 1"},
      {"# \xC3\xA9\na=2'\xEF\xBB\xB7", "f line 2"},
      {"", "is missing"},
      {std::string("a = \0", 5), "f line 1"},
      {"a = " + std::string(100000, '['), "f line 1"},
  };
  for (const auto& [text, message] : faults) {
    try {
      parse_board(text, "f");
      ADD_FAILURE() << message;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(message));
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    }
  }
}

// label: slow
TEST(BoardFile, TruncationsNeverCrash) {
  const std::string good = agx_orin_toml();
  for (std::size_t size = 0; size < good.size(); size += 487) {
    try {
      parse_board(std::string_view(good).substr(0, size), "f");
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()), "");
    }
  }
}

}  // namespace
}  // namespace ridgewatt
