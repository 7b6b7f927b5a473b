// Tests the fake board under load: sensor readings must change, for any user, and return to their
// idle values.
#include "ridgewatt/platform/fake_load.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ridgewatt/device/board_names.h"
#include "ridgewatt/platform/fake_board_support.h"
#include "ridgewatt/platform/jetson_layout.h"
#include "ridgewatt/platform/mode_control.h"
#include "ridgewatt/platform/power_source.h"

namespace ridgewatt::platform {
namespace {

constexpr FakeUse kBusy{1, 1, 0.5};

// A load that keeps the GPU of an AGX Orin busy.
workload::WorkloadCost busy_cost() {
  workload::WorkloadCost cost;
  cost.kind = WorkloadKind::kTraining;
  cost.batch = 16;
  for (int k = 0; k < 50; ++k) {
    workload::KernelCost kernel;
    kernel.op_class = workload::OpClass::kConv;
    kernel.work_flop = 2e9;
    kernel.macs = 1e9;
    kernel.output_elements = 4e6;
    kernel.window = 9;
    kernel.read_bytes = 3e7;
    kernel.write_bytes = 1.6e7;
    cost.kernels.push_back(kernel);
  }
  return cost;
}

void steps(FakeActivity& activity, const FakeUse& use, int count = 100) {
  for (int i = 0; i < count; ++i) activity.step(use);
}

// label: board
TEST(FakeBoards, ADeviceHasTheFileOfItsBoard) {
  EXPECT_EQ(fake_name("fake:nano"), "nano");
  EXPECT_EQ(fake_name("agx-orin"), std::nullopt);
  EXPECT_EQ(board_of_device("agx-orin"), "agx-orin");
  EXPECT_EQ(board_of_device("fake:agx-orin"), board_of_fake("agx-orin"));
  EXPECT_EQ(find_board_of_device("fake:agx-orin").value().name, "agx-orin");
  EXPECT_FALSE(find_board_of_device("my-board"));
}

TEST(FakeActivity, ClocksFollowTheGovernorAndRestAgain) {
  for (const char* name :
       {"agx-orin-jp5", "agx-orin-jp6", "orin-nano", "agx-xavier", "xavier-nx-jp4", "nano"}) {
    const testing::FakeBoard board(name);
    const auto first = board.content();
    const JetsonLayout layout = find_jetson_layout(*board.sysfs);
    ASSERT_FALSE(layout.gpus.empty()) << name;
    const std::string gpu = layout.gpus.front().path;
    EXPECT_LT(*board.sysfs->number(gpu + "/cur_freq"), *board.sysfs->number(gpu + "/max_freq"));
    {
      FakeActivity activity(*board.sysfs);
      steps(activity, kBusy);
      EXPECT_EQ(board.sysfs->number(gpu + "/cur_freq"), board.sysfs->number(gpu + "/max_freq"));
      const bool counted = !layout.gpu_load.empty();  // Thor reports no load
      EXPECT_TRUE(!counted || *board.sysfs->number(layout.gpu_load) > 900);
      if (!layout.emc.load.empty()) {  // busy kHz
        EXPECT_NEAR(*board.sysfs->number(layout.emc.load) * 1e3,
                    0.5 * *board.sysfs->number(layout.emc.current), 1e3)
            << name;
      }
      // Under a light load, the clock falls again.
      steps(activity, {0.1, 0.1, 0});
      EXPECT_LT(*board.sysfs->number(gpu + "/cur_freq"), *board.sysfs->number(gpu + "/max_freq"));
    }
    EXPECT_EQ(board.changes(first), "") << name;
    // A governor that fixes its clock also fixes it under load.
    ASSERT_EQ(board.sysfs->write(gpu + "/governor", "powersave"), 0);
    const auto held = board.sysfs->number(gpu + "/cur_freq");
    FakeActivity activity(*board.sysfs);
    steps(activity, kBusy);
    EXPECT_EQ(board.sysfs->number(gpu + "/cur_freq"), held) << name;
  }
}

// Under each governor, a busy load is within 3 % of its time at the highest fixed clocks. Published
// for the AGX Xavier (Prashanthi et al. 2022): within 2 to 3 % with DVFS on and off.
// label: board
TEST(FakeActivity, ABusyLoadIsAsFastUnderGovernors) {
  const testing::FakeBoard board("agx-orin-jp6");
  const FakeLoad load(twin::load_twin(load_board("agx-orin")), busy_cost(), 1);
  const double fixed_s = load.truth({12, 2201.6e6, 1300.5e6, 3199e6, ""}).time_s;
  for (const char* governor : {"schedutil", "ondemand", "conservative", "interactive"}) {
    for (const char* policy : {"policy0", "policy4", "policy8"}) {
      ASSERT_EQ(board.sysfs->write(
                    std::string("/sys/devices/system/cpu/cpufreq/") + policy + "/scaling_governor",
                    governor),
                0);
    }
    FakeActivity activity(*board.sysfs);
    double time_s = 0, first_s = 0;
    for (int minibatch = 0; minibatch < 200; ++minibatch) {
      for (double left = 1; left > 1e-9;) {
        const auto clocks = activity.clocks();
        const double whole_s = load.at(clocks).time_s;
        const double slice_s = std::min(left * whole_s, FakeActivity::kTickS);
        time_s += slice_s;
        left -= slice_s / whole_s;
        activity.step(load.use(clocks));
      }
      if (minibatch == 0) first_s = time_s;
    }
    EXPECT_GT(first_s, 1.1 * fixed_s) << governor;  // the clock had to rise first
    EXPECT_NEAR(time_s / 200 / fixed_s, 1, 0.03) << governor;
  }
}

// The idle power of the board depends only on its mode, not on what ran before or in which order.
TEST(FakeRest, IsThatOfTheMode) {
  const testing::FakeBoard board("agx-orin-jp6");
  const auto source = open_power_source(*board.sysfs);
  const auto total_w = [&] {
    std::vector<double> power_w(source->channels().size());
    source->read(power_w);
    double sum_w = 0;
    for (std::size_t c = 0; c < power_w.size(); ++c) {
      if (source->channels()[c].in_total) sum_w += power_w[c];
    }
    return sum_w;
  };
  const double start_w = total_w();
  JetsonModeControl control(*board.sysfs);
  const PowerMode low{1, 729.6e6, 306e6, 665.6e6, ""}, high{12, 2201.6e6, 1300.5e6, 3199e6, ""};
  std::vector<double> low_w, high_w;
  for (int round = 0; round < 3; ++round) {
    control.apply(low);
    low_w.push_back(total_w());
    FakeRails(*board.sysfs).set(40);  // a load that does not reset the rails
    control.apply(high);
    high_w.push_back(total_w());
  }
  control.restore();
  EXPECT_EQ(low_w, std::vector<double>(3, low_w[0]));
  EXPECT_EQ(high_w, std::vector<double>(3, high_w[0]));
  EXPECT_LT(low_w[0], high_w[0]);
  EXPECT_LT(high_w[0], 20);
  EXPECT_EQ(total_w(), start_w);
}

// Governors and heat lower the clocks of a preset, but switch no SM on (docs/reference/boards.md).
TEST(FakeLoad, ALowerClockOfAPresetHasItsMultiprocessors) {
  const Board board = load_board("agx-orin");
  const PowerMode preset = find_preset(board, "MODE_15W").mode;
  PowerMode lower = preset;
  lower.gpu_clock_hz = 216.75e6;
  FakeLoad load(twin::load_twin(board), busy_cost(), 1);
  const double preset_s = load.truth(preset).time_s;
  load.set_sms(6);
  EXPECT_DOUBLE_EQ(load.truth(preset).time_s, preset_s);
  EXPECT_GT(load.truth(lower).time_s, 1.3 * preset_s);
}

TEST(FakeRest, MultiprocessorsThatAPresetTurnsOffDrawNoPower) {
  const testing::FakeBoard board("agx-orin-jp6");
  const auto idle_w = [&] { return FakeRest(*board.sysfs, fake_board_mark(board.root)).power_w(); };
  const auto sms = [&] {
    return sms_left_on(*board.sysfs, find_jetson_layout(*board.sysfs), load_board("agx-orin"));
  };
  JetsonModeControl control(*board.sysfs);
  const PowerMode low{1, 729.6e6, 306e6, 665.6e6, ""};
  EXPECT_EQ(sms(), 16);
  control.apply(low);
  const double all_w = idle_w();
  control.apply_preset("MODE_15W");
  control.apply(low);  // clocks do not change the SMs
  EXPECT_EQ(sms(), 6);
  EXPECT_LT(idle_w(), all_w);
  control.restore();
  EXPECT_EQ(sms(), 16);
}

// Returns 0 if the rails and the clocks of a board of the current user change; the kernel lets
// nobody write these files. Otherwise returns the number of the failed step.
int board_moves() {
  const testing::FakeBoard board("agx-orin-jp6");
  const std::string gpu = find_jetson_layout(*board.sysfs).gpus.front().path;
  const auto first = board.content();
  FakeRails(*board.sysfs).set(41);
  if (board.changes(first).empty()) return 2;
  if (board.sysfs->write(gpu + "/governor", "performance") != 0) return 3;
  if (board.sysfs->number(gpu + "/cur_freq") != board.sysfs->number(gpu + "/max_freq")) return 4;
  struct stat status {};
  if (::stat(board.sysfs->host_path(gpu + "/cur_freq").c_str(), &status) != 0) return 5;
  return (status.st_mode & 0222) == 0 ? 0 : 6;  // still read-only
}

TEST(FakeLoad, MovesABoardOfAnyUser) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) ::_exit(1);
    ::_exit(board_moves());
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace ridgewatt::platform
