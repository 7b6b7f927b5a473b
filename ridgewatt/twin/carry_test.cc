// Tests what is carried over to another board or BSP: the quantities that physics keeps must not
// change.
#include "ridgewatt/twin/carry.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ridgewatt/twin/estimate.h"
#include "ridgewatt/workload/deployed_workload.h"

namespace ridgewatt::twin {
namespace {

using P = TwinParam;

// The GPU's voltage at a clock in Hz, relative to the flat part of the curve.
double gpu_voltage(const Twin& twin, double clock_hz) {
  const double rise = twin[P::kGpuVoltageRise], knee = twin[P::kGpuVoltageKnee];
  return relative_voltage(clock_hz / twin.gpu_clock_hz, rise, knee) /
         relative_voltage(0, rise, knee);
}

TEST(Carry, VoltageIsAFunctionOfTheClockOnTheSameChip) {
  const Board orin = load_board("agx-orin"), nx = load_board("orin-nx-16gb@super");
  const Twin from = load_twin(orin);
  const Twin to = carry_twin(from, orin, nx);
  for (const double clock_hz : {306e6, 612e6, 816e6, 1020e6, 1173e6}) {
    // The corner of the curve is a share of the highest clock, which differs by 10 % between the
    // BSPs.
    EXPECT_NEAR(gpu_voltage(to, clock_hz), gpu_voltage(from, clock_hz), 0.01) << clock_hz;
  }
}

TEST(Carry, AMultiprocessorBurnsTheSameAtTheSameClockOnTheSameChip) {
  const Board orin = load_board("agx-orin"), nx = load_board("orin-nx-16gb@super");
  const Twin from = load_twin(orin);
  const Twin to = carry_twin(from, orin, nx);
  constexpr double kClock = 612e6;
  const auto busy_w_per_sm = [&](const Twin& twin, int sms) {
    const double voltage = relative_voltage(kClock / twin.gpu_clock_hz, twin[P::kGpuVoltageRise],
                                            twin[P::kGpuVoltageKnee]);
    return twin[P::kGpuBusyPower] * kClock / twin.gpu_clock_hz * voltage * voltage / sms;
  };
  EXPECT_NEAR(busy_w_per_sm(to, nx.sms) / busy_w_per_sm(from, orin.sms), 1, 0.02);
}

TEST(Carry, NothingGetsSurer) {
  for (const char* name : {"agx-xavier", "orin-nano-8gb@super", "orin-nx-8gb", "tx2", "thor"}) {
    const Board board = load_board(name);
    const Board relative = relative_of(board);
    const Twin from = load_twin(relative);
    const Twin to = carried_twin(board);
    EXPECT_TRUE(to.scaled);
    EXPECT_EQ(to.relative, relative.name);
    for (std::size_t i = 0; i < kTwinParamCount; ++i) {
      EXPECT_GE(to.log_sd[i], from.log_sd[i]) << name << ' ' << twin_parameters()[i].key;
      EXPECT_GT(to.values[i], 0) << name << ' ' << twin_parameters()[i].key;
    }
  }
}

// The cost of a mode does not depend on the other clocks that its BSP offers.
TEST(Carry, AModeCostsTheSameUnderEveryBsp) {
  const auto cost =
      workload::DeployedWorkload("zoo:resnet18", {.kind = WorkloadKind::kTraining}).at(16);
  for (const char* board : {"orin-nano-8gb", "orin-nx-16gb"}) {
    const Twin plain = load_twin(load_board(std::string(board) + "@jp5"));
    const Twin super = load_twin(load_board(std::string(board) + "@super"));
    ASSERT_LT(plain.gpu_clock_hz, super.gpu_clock_hz);
    for (const double gpu_hz : {306e6, 612e6}) {
      const PowerMode mode{4, 1190.4e6, gpu_hz, 2133e6, ""};
      const MinibatchCost a = Estimator(plain, cost, {})(mode);
      const MinibatchCost b = Estimator(super, cost, {})(mode);
      EXPECT_NEAR(a.period_s / b.period_s, 1, 0.01) << board;
      EXPECT_NEAR(a.power_w / b.power_w, 1, 0.02) << board;
    }
  }
}

}  // namespace
}  // namespace ridgewatt::twin
