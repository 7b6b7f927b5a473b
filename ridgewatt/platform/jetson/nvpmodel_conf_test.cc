#include "ridgewatt/platform/nvpmodel_conf.h"

#include <gtest/gtest.h>

#include <set>

#include "ridgewatt/base/error.h"
#include "ridgewatt/device/board.h"

namespace ridgewatt::platform {
namespace {

constexpr const char* kConf = R"(# comment
< PARAM TYPE=FILE NAME=CPU_ONLINE >
CORE_0 /sys/devices/system/cpu/cpu0/online
CORE_1 /sys/devices/system/cpu/cpu1/online
<PARAM TYPE=CLOCK NAME=CPU_A78_0 >
FREQ_TABLE /c/scaling_available_frequencies   # comment behind
MAX_FREQ /c/scaling_max_freq
MIN_FREQ /c/scaling_min_freq
< PARAM TYPE=CLOCK NAME=GPU>
MAX_FREQ /old/max_freq
MAX_FREQ_KNEXT /new/max_freq
MIN_FREQ /old/min_freq
	< PARAM TYPE=CLOCK NAME=EMC >
MAX_FREQ /emc
< PARAM TYPE=HWMON NAME=VDDIN_OC_LIMIT >
WARN /sys/x/hwmon curr1_max
< POWER_MODEL ID=0 NAME=MAXN >
CPU_ONLINE CORE_0 1
CPU_ONLINE CORE_1 1
CPU_A78_0 MAX_FREQ -1
GPU MAX_FREQ -1
EMC MAX_FREQ 0
VDDIN_OC_LIMIT WARN 3000
< POWER_MODEL ID=3 NAME=MODE_15W >
CPU_ONLINE CORE_0 1
CPU_ONLINE CORE_1 0
CPU_A78_0 MAX_FREQ 1113600
GPU MIN_FREQ 0
GPU MAX_FREQ 408000000
EMC MAX_FREQ 2133000000
< FAN_CONFIG DEFAULT=quiet >
< SOMETHING_NEW A=1 >
whatever stands here
< PM_CONFIG DEFAULT=3 >
)";

TEST(NvpmodelConf, ReadsTheGrammar) {
  const auto conf = parse_nvpmodel_conf(kConf, "conf");
  ASSERT_EQ(conf.modes.size(), 2u);
  EXPECT_EQ(conf.default_id, 3);
  EXPECT_EQ(conf.fan_default, "quiet");
  EXPECT_EQ(conf.skipped_sections, 1);
  EXPECT_EQ(conf.param("VDDIN_OC_LIMIT")->arguments[0].attribute, "curr1_max");
  EXPECT_EQ(conf.mode("3").name, "MODE_15W");
  const PowerMode limits = limits_of(conf, conf.mode("MODE_15W"));
  EXPECT_EQ(limits, (PowerMode{1, 1113.6e6, 408e6, 2133e6, ""}));
  // A knob without a limit is absent.
  EXPECT_EQ(limits_of(conf, conf.mode("MAXN")), (PowerMode{2, 0, 0, 0, ""}));
  EXPECT_EQ(conf.mode("15w").name, "MODE_15W");
  EXPECT_THROW(conf.mode("MODE_30W"), NotFoundError);
}

// A board file and the board's own nvpmodel.conf understand the same texts.
TEST(NvpmodelConf, NamesOfPresetsAreReadAsInABoardFile) {
  const auto name_or_refusal = [](const auto& read) -> std::string {
    try {
      return read().name;
    } catch (const NotFoundError&) {
      return "none";
    } catch (const UsageError&) {
      return "several";
    }
  };
  for (const auto& board_name : list_boards()) {
    const ridgewatt::Board board = load_board(board_name);
    NvpConf conf;
    std::set<std::string> texts = {"30W", "MODE_30W", "15w", "maxn", "nothing"};
    for (const auto& preset : presets(board)) {
      conf.modes.push_back({preset.id, preset.name, {}});
      const std::string& name = preset.name;
      const std::string part = name.substr(name.starts_with("MODE_") ? 5 : 0);
      for (const auto& text : {name, part, "mode-" + part, part.substr(0, part.find('_'))}) {
        texts.insert(text);
      }
    }
    for (const auto& text : texts) {
      EXPECT_EQ(name_or_refusal([&]() -> const auto& { return conf.mode(text); }),
                name_or_refusal([&]() -> const auto& { return find_preset(board, text); }))
          << board_name << " " << text;
    }
  }
}

TEST(NvpmodelConf, ReadsOldFiles) {
  const auto conf = parse_nvpmodel_conf(
      "< POWER_MODEL ID=0 NAME=MAXN >\n/sys/devices/system/cpu/cpu1/online 1\n", "old");
  EXPECT_EQ(conf.modes[0].settings[0].argument, "/sys/devices/system/cpu/cpu1/online");
}

TEST(NvpmodelConf, FaultsNameTheLine) {
  const auto fault = [](const std::string& text) {
    try {
      parse_nvpmodel_conf(text, "conf");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  const std::string mode = "< POWER_MODEL ID=0 NAME=A >\n";
  EXPECT_EQ(fault(""), "conf has no POWER_MODEL section");
  EXPECT_EQ(fault("X /y\n"), "there is text before the first section: conf line 1");
  EXPECT_EQ(fault("\n< POWER_MODEL ID=0 >\n"), "the POWER_MODEL section lacks NAME: conf line 2");
  EXPECT_EQ(fault("< POWER_MODEL ID=x NAME=A >\n"),
            "the id must be a whole number from 0 to 1000000, but is x: conf line 1");
  EXPECT_EQ(fault("< POWER_MODEL ID=0 NAME=A\n"),
            "the section header does not end with '>': conf line 1");
  EXPECT_EQ(fault(mode + mode), "two power modes have the same id or name: 0 A: conf");
  EXPECT_EQ(fault(mode + "GPU MAX_FREQ 1\n"), "unknown parameter GPU: conf mode A");
  EXPECT_EQ(fault("< PARAM TYPE=CLOCK NAME=GPU >\nMAX_FREQ /g\n" + mode + "GPU MAX_FREQ fast\n"),
            "the value must be a whole number, but is fast: conf mode A");
  EXPECT_EQ(fault("< PARAM TYPE=CLOCK NAME=GPU >\nMAX_FREQ g\n" + mode),
            "the path does not begin with '/': g: conf line 2");
}

// An exported mode can be appended to the file and is read back as the same mode.
TEST(NvpmodelConf, ExportedModeReadsBack) {
  const auto conf = parse_nvpmodel_conf(kConf, "conf");
  const PowerMode mode{1, 729.6e6, 306e6, 665.6e6, ""};
  const auto again =
      parse_nvpmodel_conf(kConf + power_model_section(conf, mode, 20, "MINE"), "conf");
  EXPECT_EQ(limits_of(again, again.mode("MINE")), mode);
  EXPECT_THROW(power_model_section(conf, mode, 3, "MINE"), UsageError);
  EXPECT_THROW(power_model_section(conf, mode, 20, "MAXN"), UsageError);
  EXPECT_THROW(power_model_section(conf, mode, 20, "A >\n< B"), UsageError);
}

}  // namespace
}  // namespace ridgewatt::platform
