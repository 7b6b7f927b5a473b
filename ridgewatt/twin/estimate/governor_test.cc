#include "ridgewatt/twin/estimate/governor.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/twin/estimate.h"
#include "ridgewatt/workload/deployed_workload.h"

namespace ridgewatt::twin {
namespace {

class GovernorTest : public ::testing::Test {
 protected:
  Twin twin_ = load_twin(load_board("agx-orin"));

  PowerMode settled(const std::string& governor, const DomainLoad& load) const {
    PowerMode mode;
    mode.governor = governor;
    return settled_clocks(twin_, mode, [&](const PowerMode&) { return load; });
  }
  const std::vector<double>& levels(Knob knob) const { return twin_.levels[knob]; }
  // The lowest clock that a governor may set.
  double lowest(Knob knob) const {
    return std::max(levels(knob).front(), twin_.governor_least[knob]);
  }
};

// Half of the weight is on the last 32 ms. For much shorter cycles, the load is the mean.
TEST_F(GovernorTest, PeltWeighsThePast) {
  EXPECT_NEAR(pelt_load(32e-3, 1e9), 0.5, 1e-9);
  EXPECT_NEAR(pelt_load(64e-3, 1e9), 0.75, 1e-9);
  EXPECT_NEAR(pelt_load(0.25e-6, 1e-6), 0.25, 1e-5);
  EXPECT_EQ(pelt_load(1, 1), 1);
  EXPECT_EQ(pelt_load(0, 1), 0);
}

TEST_F(GovernorTest, BusyDomainsRunAtTheirHighestAndIdleOnesAtTheirLowest) {
  for (const char* name : {"schedutil", "ondemand"}) {
    const PowerMode busy = settled(name, {1, 1, 1});
    const PowerMode idle = settled(name, {0, 1, 0});
    for (const Knob knob : {Knob::kCpuClock, Knob::kGpuClock, Knob::kMemClock}) {
      EXPECT_EQ(busy.get(knob), levels(knob).back()) << name;
    }
    EXPECT_EQ(idle.cpu_clock_hz, lowest(Knob::kCpuClock)) << name;
    EXPECT_EQ(idle.gpu_clock_hz, lowest(Knob::kGpuClock)) << name;
    EXPECT_EQ(idle.mem_clock_hz, 2133e6) << name;  // as tegrastats prints for an idle AGX Orin
    EXPECT_EQ(busy.governor, name);
    EXPECT_EQ(busy.cpu_cores, twin_.cpu_cores);
  }
}

// The work needs a given number of cycles per second; schedutil keeps a quarter as reserve.
TEST_F(GovernorTest, SchedutilLeavesAQuarterToSpare) {
  for (const double work_hz : {0.3e9, 0.9e9, 1.5e9}) {
    PowerMode mode;
    mode.governor = "schedutil";
    const PowerMode at = settled_clocks(twin_, mode, [&](const PowerMode& clocks) {
      return DomainLoad{1e-6 * work_hz / clocks.cpu_clock_hz, 1e-6, 1};
    });
    const auto& clocks = levels(Knob::kCpuClock);
    const double wanted_hz = std::max(lowest(Knob::kCpuClock), 1.25 * work_hz * (1 - 1e-4));
    const auto found = std::find_if(clocks.begin(), clocks.end(),
                                    [&](double clock_hz) { return clock_hz >= wanted_hz; });
    EXPECT_EQ(at.cpu_clock_hz, *found) << work_hz;
  }
}

TEST_F(GovernorTest, TheGpuIsKeptSevenTenthsBusyAndTheMemoryFollowsIt) {
  PowerMode mode;
  mode.governor = "schedutil";
  const PowerMode at = settled_clocks(twin_, mode, [&](const PowerMode& clocks) {
    return DomainLoad{1, 1, std::min(1.0, 0.4e9 / clocks.gpu_clock_hz)};
  });
  const auto& clocks = levels(Knob::kGpuClock);
  EXPECT_EQ(at.gpu_clock_hz, *std::find_if(clocks.begin(), clocks.end(), [](double clock_hz) {
              return clock_hz >= 0.4e9 / 0.7;
            }));
  EXPECT_GE(at.mem_clock_hz, std::min(3 * at.gpu_clock_hz, levels(Knob::kMemClock).back()));
}

// The GPU is idle, so only the traffic of the CPU determines the memory clock.
TEST_F(GovernorTest, TheMemoryFollowsTheCpuToo) {
  const PowerMode busy = settled("schedutil", {1, 1, 0});
  EXPECT_EQ(busy.gpu_clock_hz, levels(Knob::kGpuClock).front());
  EXPECT_EQ(busy.mem_clock_hz, levels(Knob::kMemClock).back());
  PowerMode mode;
  mode.governor = "schedutil";
  mode.cpu_clock_hz = levels(Knob::kCpuClock)[levels(Knob::kCpuClock).size() / 2];
  const PowerMode capped = settled_clocks(twin_, mode, [](const PowerMode&) {
    return DomainLoad{1, 1, 0};
  });
  const double share = capped.cpu_clock_hz / twin_.cpu_clock_hz;
  EXPECT_GE(capped.mem_clock_hz, share * twin_.mem_clock_hz);
  EXPECT_LT(capped.mem_clock_hz, twin_.mem_clock_hz);
}

TEST_F(GovernorTest, ClocksThatAreGivenAreLimits) {
  PowerMode mode;
  mode.cpu_cores = 4;
  mode.cpu_clock_hz = levels(Knob::kCpuClock)[5];
  mode.gpu_clock_hz = levels(Knob::kGpuClock)[2];
  mode.governor = "schedutil";
  const auto busy = [](const PowerMode&) { return DomainLoad{1, 1, 1}; };
  const PowerMode at = settled_clocks(twin_, mode, busy);
  EXPECT_EQ(at.cpu_cores, 4);
  EXPECT_EQ(at.cpu_clock_hz, mode.cpu_clock_hz);
  EXPECT_EQ(at.gpu_clock_hz, mode.gpu_clock_hz);
  for (const char* name : {"performance", "userspace"}) {
    mode.governor = name;
    EXPECT_EQ(settled_clocks(twin_, mode, busy).cpu_clock_hz, mode.cpu_clock_hz) << name;
  }
  mode.governor = "powersave";
  EXPECT_EQ(settled_clocks(twin_, mode, busy).gpu_clock_hz, levels(Knob::kGpuClock).front());
  for (const char* name : {"conservative", "interactive", "typo"}) {
    EXPECT_THROW(settled(name, {1, 1, 1}), NotSupportedError) << name;
  }
}

// MIN_FREQ of nvpmodel_t194.conf. A lower clock that is given as a limit remains possible.
TEST_F(GovernorTest, StaysAboveTheMinimumOfNvpmodel) {
  twin_ = load_twin(load_board("agx-xavier"));
  for (const char* name : {"schedutil", "ondemand", "powersave"}) {
    const PowerMode idle = settled(name, {0, 1, 0});
    EXPECT_EQ(idle.cpu_clock_hz, 1190.4e6) << name;
    EXPECT_EQ(idle.gpu_clock_hz, 318.75e6) << name;
  }
  PowerMode mode;
  mode.governor = "schedutil";
  mode.gpu_clock_hz = 114.75e6;
  const PowerMode at = settled_clocks(twin_, mode, [](const PowerMode&) {
    return DomainLoad{0, 1, 0};
  });
  EXPECT_EQ(at.gpu_clock_hz, mode.gpu_clock_hz);
}

// Published for the AGX Xavier: training of LeNet-5 with DVFS is within 2 to 3 % of MAXN, at a GPU
// clock of about 300 MHz (Prashanthi et al., SIGMETRICS 2023, section 5.5).
TEST_F(GovernorTest, ASmallNetworkIsAsFastWithAGovernor) {
  const workload::DeployedWorkload eager("zoo:lenet5", {.kind = WorkloadKind::kTraining});
  const Estimator estimator(load_twin(load_board("agx-xavier")), eager.at(16));
  PowerMode mode;
  mode.governor = "schedutil";
  EXPECT_NEAR(estimator(mode).period_s / estimator({}).period_s, 1, 0.03);
}

// Published for the AGX Xavier: training with DVFS is within 2 to 3 % of MAXN in time and energy.
TEST_F(GovernorTest, TrainingUnderAGovernorIsNearMaxn) {
  for (const char* board : {"agx-xavier", "agx-orin"}) {
    for (const char* network : {"zoo:resnet18", "zoo:mobilenet_v3_large"}) {
      const workload::DeployedWorkload eager(network, {.kind = WorkloadKind::kTraining});
      const Estimator estimator(load_twin(load_board(board)), eager.at(16));
      const MinibatchCost fixed = estimator({});
      PowerMode mode;
      mode.governor = "schedutil";
      const MinibatchCost governed = estimator(mode);
      EXPECT_NEAR(governed.period_s / fixed.period_s, 1, 0.03) << board << ' ' << network;
      EXPECT_NEAR(governed.energy_j() / fixed.energy_j(), 1, 0.03) << board << ' ' << network;
    }
  }
}

}  // namespace
}  // namespace ridgewatt::twin
