// Tests what is carried over to another board or BSP: the quantities that physics keeps must not
// change.
#include "ridgewatt/twin/carry.h"

#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <utility>

#include "ridgewatt/twin/estimate.h"
#include "ridgewatt/twin/estimate_error.h"
#include "ridgewatt/twin/hardware.h"
#include "ridgewatt/twin/twin_roofline.h"
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

// MODE_15W and MODE_30W of the AGX Orin leave 6 and 8 of 16 SMs on. The times of ResNet-18 in FP32
// at a batch of 64 are 306.5, 157.2 and 56.2 ms in MODE_15W, MODE_30W and MAXN (branes-ai/graphs,
// sums over nodes); those of VGG-16 at a batch of 4 are 157.1 and 74.7 ms in the two presets.
TEST(Carry, APresetThatSwitchesSmsOffIsAsSlowAsMeasured) {
  const Board board = load_board("agx-orin");
  const auto period_s = [&](const char* model, int batch, const char* preset) {
    const Estimator estimator(load_twin(board), workload::DeployedWorkload(model).at(batch), {});
    return estimator(find_preset(board, preset).mode).period_s;
  };
  const double low_s = period_s("zoo:resnet18", 64, "MODE_15W");
  const double middle_s = period_s("zoo:resnet18", 64, "MODE_30W");
  EXPECT_NEAR(low_s / middle_s / (306.5 / 157.2), 1, 0.1);
  EXPECT_NEAR(middle_s / period_s("zoo:resnet18", 64, "MAXN") / (157.2 / 56.2), 1, 0.1);
  EXPECT_NEAR(
      period_s("zoo:vgg16", 4, "MODE_15W") / period_s("zoo:vgg16", 4, "MODE_30W") / (157.1 / 74.7),
      1, 0.1);
}

// The fits of the A40 and the H100 each know the rate that convolutions reach. The tensor cores of
// the H100 are four times as fast per multiprocessor and cycle, and reach half of the share.
TEST(Carry, SlowerTensorCoresReachALargerShare) {
  const Board a40 = load_board("a40"), h100 = load_board("h100-sxm");
  const auto rate = [](const Board& from, const Board& to) {
    return carry_twin(load_twin(from), from, to)[P::kConvRate];
  };
  EXPECT_NEAR(rate(h100, a40) / load_twin(a40)[P::kConvRate], 1, 0.3);
  EXPECT_NEAR(rate(a40, h100) / load_twin(h100)[P::kConvRate], 1, 0.3);
  EXPECT_GT(rate(a40, load_board("rtx-3090")) / conv_over_fp32(load_board("rtx-3090")),
            load_twin(a40)[P::kConvRate] / conv_over_fp32(a40));
}

// Between the fitted cards, the bytes that the SMs can request are 1.6 to 2.3 times the bytes that
// the memory delivers. Per SM, they differ by a factor of 2.6.
TEST(Carry, TheRequestsOfACardFollowTheBandwidthOfItsMemory) {
  for (const auto& [from, to] :
       std::initializer_list<std::pair<const char*, const char*>>{{"a40", "h100-sxm"},
                                                                  {"h100-sxm", "a40"},
                                                                  {"a40", "v100-pcie"},
                                                                  {"v100-pcie", "p100-pcie"}}) {
    const Board source = load_board(from), target = load_board(to);
    const Twin carried = carry_twin(load_twin(source), source, target);
    EXPECT_NEAR(std::log(carried[P::kGpuBytesPerCycle] / load_twin(target)[P::kGpuBytesPerCycle]),
                0, 0.35)
        << from << " to " << to;
  }
}

TEST(Carry, HalfTheSmsHaveHalfTheRateAndThePowerOfTheGpu) {
  const Twin all = load_twin(load_board("agx-orin"));
  const Twin half = with_sms(all, all.sms / 2);
  EXPECT_DOUBLE_EQ(half.flop_per_cycle, all.flop_per_cycle / 2);
  for (const P param : {P::kFillElements, P::kGpuBytesPerCycle, P::kGpuLeakage, P::kGpuClockPower,
                        P::kGpuBusyPower}) {
    EXPECT_DOUBLE_EQ(half[param], all[param] / 2);
  }
  for (const P param : {P::kConvRate, P::kMemoryBandwidthShare, P::kKernelCycles, P::kLaunchFixed,
                        P::kEnergyPerFlop, P::kEnergyPerByte, P::kBasePower, P::kCpuBusyPower,
                        P::kGpuVoltageRise}) {
    EXPECT_DOUBLE_EQ(half[param], all[param]);
  }
  const double sd = half.log_sd[static_cast<std::size_t>(P::kGpuBusyPower)];
  EXPECT_GT(sd, all.log_sd[static_cast<std::size_t>(P::kGpuBusyPower)]);
}

// The same clocks with one core more are no preset, so all SMs are on.
TEST(Carry, LayersRoofsAndIntervalsCountTheSmsOfAPreset) {
  const Board board = load_board("agx-orin");
  const Twin twin = load_twin(board);
  const auto cost =
      workload::DeployedWorkload("zoo:resnet50", {.runtime = Runtime::kTensorRt}).at(16);
  const Estimator estimator(twin, cost, {});
  const ErrorModel errors(twin, cost, {});
  const PowerMode preset = find_preset(board, "MODE_30W").mode;
  PowerMode all = preset;
  all.cpu_cores += 1;
  const Breakdown half = estimator.breakdown(preset), whole = estimator.breakdown(all);
  EXPECT_EQ(half.sms, 8);
  EXPECT_EQ(whole.sms, 16);
  EXPECT_GT(half.total.period_s, 1.7 * whole.total.period_s);
  EXPECT_LT(half.total.power_w, whole.total.power_w);
  double layers_s = 0;
  for (const LayerEstimate& layer : estimator.layers(preset)) layers_s += layer.time_s;
  EXPECT_NEAR(layers_s + half.time_s[static_cast<std::size_t>(Cause::kHost)], half.total.period_s,
              1e-3 * half.total.period_s);
  EXPECT_NEAR(twin_roofline(twin, preset).peak_flop_per_s,
              twin_roofline(twin, all).peak_flop_per_s / 2, 1);
  EXPECT_NEAR(idle_power_w(twin, preset), half.always_w, 1e-9);
  EXPECT_LE(half.least_s, half.total.period_s);
  EXPECT_GT(half.least_s, whole.least_s);
  EXPECT_EQ(errors.widened_at(half).back(),
            "SMs: 8 of 16 are on, but the twin was fitted with all on");
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
