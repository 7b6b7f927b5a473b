// Tests modes on fake boards: order of writes, rounding, rejected modes, and the restored original
// state.
#include "ridgewatt/platform/mode_control.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fstream>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/platform/fake_board_support.h"

namespace ridgewatt::platform {
namespace {

using testing::FakeBoard;

template <typename Function>
std::string error_of(Function function) {
  try {
    function();
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

// Tests the rules of the fake kernel itself.
TEST(FakeSysfs, RefusesAndRoundsAsTheKernel) {
  const FakeBoard old("agx-orin-jp5");
  const FakeBoard recent("agx-orin-jp6");
  const std::string policy = "/sys/devices/system/cpu/cpufreq/policy0/";
  EXPECT_EQ(old.sysfs->write(policy + "scaling_max_freq", "500000"), EINVAL);  // below the minimum
  EXPECT_EQ(old.sysfs->write(policy + "scaling_max_freq", "1000000"), 0);
  EXPECT_EQ(old.sysfs->text(policy + "scaling_max_freq"), "960000");
  EXPECT_EQ(old.sysfs->write(policy + "scaling_governor", "turbo"), EINVAL);
  EXPECT_EQ(old.sysfs->write("/sys/devices/system/cpu/cpu0/online", "0"), EBUSY);
  for (int cpu = 8; cpu < 12; ++cpu) {
    old.sysfs->write("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/online", "0");
  }
  EXPECT_EQ(old.sysfs->write("/sys/devices/system/cpu/cpufreq/policy8/scaling_max_freq", "960000"),
            EBUSY);
  const std::string gpu = "/sys/class/devfreq/17000000.";
  EXPECT_EQ(old.sysfs->write(gpu + "ga10b/max_freq", "306000000"), 0);
  EXPECT_EQ(old.sysfs->write(gpu + "ga10b/min_freq", "510000000"), EINVAL);
  EXPECT_EQ(recent.sysfs->write(gpu + "gpu/max_freq", "306000000"), 0);
  EXPECT_EQ(recent.sysfs->write(gpu + "gpu/min_freq", "510000000"), 0);  // clamped silently
  EXPECT_EQ(recent.sysfs->text(gpu + "gpu/min_freq"), "306000000");
  EXPECT_EQ(recent.sysfs->write(gpu + "gpu/cur_freq", "306000000"), EACCES);
  EXPECT_EQ(recent.sysfs->write("/sys/nothing", "1"), ENOENT);
  EXPECT_EQ(recent.sysfs->read("/sys/class/hwmon/hwmon1/in1_input").error_number, EIO);
  const std::string mask = "/sys/devices/platform/gpu.0/tpc_pg_mask";
  EXPECT_EQ(recent.sysfs->write(mask, "255"), EINVAL);
  EXPECT_EQ(recent.sysfs->write(mask, "240"), 0);
  dynamic_cast<FakeSysfs&>(*recent.sysfs).use_gpu();
  EXPECT_EQ(recent.sysfs->write(mask, "0"), EBUSY);
  const std::string emc = "/sys/kernel/debug/bpmp/debug/clk/emc/";
  EXPECT_EQ(recent.sysfs->write(emc + "rate", "1000000000"), 0);
  EXPECT_EQ(recent.sysfs->text(emc + "rate"), "665600000");
}

TEST(ModeControl, KnobTablesComeFromTheBoard) {
  EXPECT_EQ(JetsonModeControl(*FakeBoard("agx-orin-jp6").sysfs).space().size(), 12u * 29 * 11 * 4);
  for (const auto& name : fake_board_names()) {
    const FakeBoard board(name);
    const auto spec = fake_board_spec(name);
    const auto levels = JetsonModeControl(*board.sysfs).levels();
    EXPECT_EQ(levels[Knob::kCpuClock].size(), spec.cpu_khz.size()) << name;
    EXPECT_EQ(levels[Knob::kGpuClock].size(), spec.gpu_hz.size()) << name;
    EXPECT_EQ(levels[Knob::kMemClock].size(), spec.emc_hz.size()) << name;
  }
}

// label: slow
TEST(ModeControl, PresetsHaveTheirLimits) {
  for (const auto& name : fake_board_names()) {
    const FakeBoardSpec spec = fake_board_spec(name);
    for (const auto& preset : spec.presets) {
      const FakeBoard board(name);
      JetsonModeControl control(*board.sysfs);
      control.apply_preset(preset.name);
      const auto state = control.state();
      EXPECT_EQ(state.limits.cpu_cores, preset.cores) << name << preset.name;
      EXPECT_EQ(state.preset, preset.name) << name;
    }
  }
}

// A preset without a memory limit leaves the memory clock free up to its highest.
TEST(ModeControl, ALimitOfTheMemoryClockIsNoPreset) {
  for (const char* name : {"agx-orin-jp5", "agx-orin-jp6", "thor"}) {
    const FakeBoard board(name);
    JetsonModeControl control(*board.sysfs);
    const std::string before = control.state().preset;
    EXPECT_NE(before, "") << name;
    const auto table = control.levels()[Knob::kMemClock];
    control.apply({0, 0, 0, table.front(), ""});
    EXPECT_EQ(control.state().preset, "") << name;
    control.apply({0, 0, 0, table.back(), ""});
    EXPECT_EQ(control.state().preset, before) << name;
  }
}

// An idle board lowers a memory clock that is not locked; its limit and the preset stay.
TEST(ModeControl, AnIdleMemoryClockIsNoLimit) {
  const FakeBoard board("agx-orin-jp6");
  const Sysfs plain(board.root);
  const std::string rate = board.root + "/sys/kernel/debug/bpmp/debug/clk/emc/rate";
  JetsonModeControl control(*board.sysfs);
  for (const auto& [preset, limit_hz] : {std::pair{"MODE_15W", 2133e6}, {"MODE_30W", 3199e6}}) {
    control.apply_preset(preset);
    std::ofstream(rate) << "204000000\n";
    const auto state = control.state();
    EXPECT_EQ(state.preset, preset);
    EXPECT_EQ(state.limits.mem_clock_hz, limit_hz);
  }
}

// From any mode to any other, on every board: the board must have the requested mode, and at the
// end its original files. Older kernels reject writes in a wrong order.
// label: slow
TEST(ModeControl, AnyModeAfterAnyOtherAndBack) {
  for (const auto& name : fake_board_names()) {
    const FakeBoard board(name);
    const auto first = board.content();
    Random random(11);
    {
      JetsonModeControl control(*board.sysfs);
      const KnobSpace space = control.space();
      for (int i = 0; i < 6; ++i) {
        const PowerMode& mode = space[random.below(space.size())];
        const auto summary = control.apply(mode);
        EXPECT_EQ(summary.applied, mode) << name;
        EXPECT_TRUE(summary.written.changed.empty()) << name << summary.written.changed[0].path;
        const auto state = control.state();
        EXPECT_TRUE(state.cpu_fixed && state.gpu_fixed && state.mem_fixed) << name;
      }
      control.apply({0, 0, 0, 0, "performance"});
      EXPECT_FALSE(control.state().mem_fixed);
      EXPECT_NE(board.changes(first), "");
    }
    EXPECT_EQ(board.changes(first), "") << name;
  }
}

// Offline cores have their own limits when they come online. Both their state and their limits are
// restored.
TEST(ModeControl, OfflineCoresKeepTheirLimits) {
  const FakeBoard board("agx-orin-jp5");
  JetsonModeControl(*board.sysfs).apply_preset("MODE_15W");  // restored immediately
  for (int cpu = 4; cpu < 12; ++cpu) {
    board.sysfs->write("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/online", "0");
  }
  const auto first = board.content();
  {
    JetsonModeControl control(*board.sysfs);
    control.apply({12, 729.6e6, 306e6, 204e6, ""});
    control.apply({2, 1113.6e6, 510e6, 3199e6, ""});
  }
  EXPECT_EQ(board.changes(first), "");
}

TEST(ModeControl, DryRunWritesNothing) {
  const FakeBoard board("agx-orin-jp5");
  const auto first = board.content();
  JetsonModeControl::Options options;
  options.dry_run = true;
  const auto plan = JetsonModeControl(*board.sysfs, options).apply({4, 729.6e6, 306e6, 204e6, ""});
  EXPECT_EQ(board.changes(first), "");
  EXPECT_FALSE(std::filesystem::exists(board.root + ".ridgewatt"));
  JetsonModeControl control(*board.sysfs);
  const auto done = control.apply({4, 729.6e6, 306e6, 204e6, ""});
  ASSERT_EQ(plan.written.writes.size(), done.written.writes.size());
  for (std::size_t i = 0; i < plan.written.writes.size(); ++i) {
    EXPECT_EQ(plan.written.writes[i].path, done.written.writes[i].path);
  }
}

TEST(ModeControl, RequestsOutsideTheBoardAreRefused) {
  const FakeBoard board("orin-nano");
  JetsonModeControl control(*board.sysfs);
  EXPECT_THROW(control.apply({9, 0, 0, 0, ""}), UsageError);
  EXPECT_THROW(control.apply({0, 0, 2e9, 0, ""}), UsageError);
  EXPECT_THROW(control.apply({0, 0, 0, 0, "turbo"}), UsageError);
  EXPECT_THROW(control.apply_preset("MODE_30W"), NotFoundError);
  const testing::TemporaryFolder empty;
  Sysfs nothing(empty.path().string());
  EXPECT_THROW(JetsonModeControl(nothing).levels(), NotSupportedError);
}

// label: slow
TEST(ModeControl, TheGpuHasGovernorsOfItsOwn) {
  for (const auto& name : fake_board_names()) {
    const FakeBoard board(name);
    const auto first = board.content();
    JetsonModeControl control(*board.sysfs);
    const auto known = control.gpu_governors();
    EXPECT_THAT(known, ::testing::IsSupersetOf({"nvhost_podgov", "wmark_active", "performance"}));
    // The upper limit is then the mode's clock, and the lower limit the lowest clock of the table.
    const auto table = control.levels()[Knob::kGpuClock];
    const double limit_hz = table[table.size() / 2];
    control.apply({0, 0, limit_hz, 0, ""}, "wmark_active");
    const auto state = control.state();
    EXPECT_EQ(state.gpu_governor, "wmark_active") << name;
    EXPECT_EQ(state.limits.gpu_clock_hz, limit_hz) << name;
    EXPECT_FALSE(state.gpu_fixed) << name;
    EXPECT_THAT(error_of([&] { control.apply({}, "schedutil"); }),
                ::testing::HasSubstr("choose one of nvhost_podgov, wmark_active"));
    EXPECT_THAT(error_of([&] {
                  control.apply({0, 0, 0, 0, "nvhost_podgov"});
                }),
                ::testing::HasSubstr("--gpu-governor"));
    control.restore();
    EXPECT_EQ(board.changes(first), "") << name;
  }
}

TEST(ModeControl, APowerLimitIsNotAGovernor) {
  const FakeBoard board("agx-orin-jp6");
  const auto first = board.content();
  JetsonModeControl control(*board.sysfs);
  PowerMode mode{4, 0, 0, 0, ""};
  set_power_limit(mode, 150);
  const std::string said = error_of([&] { control.apply(mode); });
  EXPECT_THAT(said, ::testing::HasSubstr("a power limit cannot be set: limit=150"));
  EXPECT_THAT(said, ::testing::Not(::testing::HasSubstr("governor")));
  EXPECT_EQ(board.changes(first), "");
}

// A preset with another TPC mask after the GPU was used: the kernel rejects the mask, and nothing
// changes.
TEST(ModeControl, ARefusedMaskLeavesEverythingAsItWas) {
  const FakeBoard board("agx-orin-jp6");
  dynamic_cast<FakeSysfs&>(*board.sysfs).use_gpu();
  const auto first = board.content();
  JetsonModeControl control(*board.sysfs);
  EXPECT_THAT(error_of([&] { control.apply_preset("MODE_30W"); }),
              ::testing::HasSubstr("needs a reboot"));
  EXPECT_EQ(board.changes(first), "");
  EXPECT_NO_THROW(control.apply_preset("MODE_50W"));
}

TEST(ModeControl, HeatAndOverCurrentBringTheOldModeBack) {
  for (const bool heat : {true, false}) {
    const FakeBoard board("agx-orin-jp6");
    const auto first = board.content();
    JetsonModeControl control(*board.sysfs);
    control.apply({12, 2201.6e6, 1300.5e6, 3199e6, ""});
    control.check_safety();
    const std::string path =
        heat ? "/sys/class/thermal/thermal_zone0/temp" : "/sys/class/hwmon/hwmon2/oc1_event_cnt";
    const std::string old = *board.sysfs->text(path);
    board.set(path, heat ? "101000" : "1");
    EXPECT_THAT(error_of([&] { control.check_safety(); }),
                ::testing::HasSubstr(heat ? "over-temperature" : "over-current"));
    board.set(path, old);
    EXPECT_EQ(board.changes(first), "");
  }
}

TEST(ModeControl, OneWriterAtATime) {
  const FakeBoard board("nano");
  JetsonModeControl first(*board.sysfs);
  first.apply({2, 0, 0, 0, ""});
  EXPECT_THAT(error_of([&] { ModeJournal(*board.sysfs, board.root + ".ridgewatt", 0.05); }),
              ::testing::HasSubstr("another process"));
}

TEST(ModeControl, AReaderDoesNotWaitForTheWriter) {
  const FakeBoard board("nano");
  const ModeJournal writer(*board.sysfs, board.root + ".ridgewatt");
  std::ofstream(board.root + ".ridgewatt/mode.journal") << "of the writer\n";
  const JetsonModeControl reader(*board.sysfs);
  EXPECT_THAT(reader.warning(), ::testing::HasSubstr("another process"));
  EXPECT_EQ(reader.state().limits.cpu_cores, 4);
}

// Without a list of memory clocks, only the lowest and the highest are known, and no other clock is
// written.
TEST(ModeControl, AnUnlistedMemoryClockIsRefused) {
  const FakeBoard board("agx-orin-jp6");
  std::filesystem::remove(
      board.sysfs->host_path("/sys/kernel/debug/bpmp/debug/emc/possible_rates"));
  const auto first = board.content();
  {
    JetsonModeControl control(*board.sysfs);
    EXPECT_THAT(error_of([&] {
                  control.apply({0, 0, 0, 2133e6, ""});
                }),
                ::testing::HasSubstr("known clocks: 204, 3199 MHz"));
    EXPECT_EQ(board.changes(first), "");
  }
}

}  // namespace
}  // namespace ridgewatt::platform
