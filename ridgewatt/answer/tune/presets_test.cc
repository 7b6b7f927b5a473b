#include "ridgewatt/answer/presets.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/sweep/sweep.h"

namespace ridgewatt::answer {
namespace {

std::vector<PresetStanding> standings(const std::string& rows) {
  const auto sweeps =
      parse_sweeps("cpu_cores,cpu_mhz,gpu_mhz,mem_mhz,time_ms,power_w\n" + rows, "rows.csv");
  return preset_standings(measured_points(sweeps.at(0)), "agx-orin", FrontCost::kTime,
                          FrontCost::kPower);
}

// MAXN takes 10 ms and 50 W. 8 ms at 45 W is better, and 9 ms at 20 W is better by more.
TEST(Presets, TheBestModeThatBeatsOneIsNamed) {
  const auto found = standings(
      "12,2201.6,1300.5,3199,10,50\n"
      "10,2201.6,1300.5,3199,8,45\n"
      "8,2201.6,1300.5,3199,9,20\n"
      "6,2201.6,1300.5,3199,11,10\n");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].name, "MAXN");
  EXPECT_EQ(found[0].better, 2U);
  ASSERT_TRUE(found[0].best);
  EXPECT_EQ(found[0].best->point.mode.cpu_cores, 8);
  EXPECT_DOUBLE_EQ(found[0].best->cost.power_w.mean, 20);
  EXPECT_EQ(found[0].sms_off, 0);
}

TEST(Presets, WhatNoModeBeatsStands) {
  const auto found = standings(
      "12,2201.6,1300.5,3199,10,50\n"
      "10,2201.6,1300.5,3199,10,45\n"
      "8,2201.6,1300.5,3199,9,50\n");
  EXPECT_EQ(found[0].better, 0U);
  EXPECT_FALSE(found[0].best);
}

// The 30 W preset of the AGX Orin has 8 cores and leaves half of the 16 multiprocessors on:
// tpc_mask 240 switches off four of eight pairs (nvpmodel_p3701_0000.conf).
TEST(Presets, AnInexactPresetIsNearAndSaysWhatItSwitchesOff) {
  const auto found = standings(
      "12,2201.6,1300.5,3199,10,50\n"
      "8,1804.8,1300.5,3199,12,30\n"
      "8,1804.8,624.75,3199,20,25\n");
  bool seen = false;
  for (const auto& one : found) {
    if (one.name != "near MODE_30W") continue;
    seen = true;
    EXPECT_EQ(one.sms_off, 8);
    EXPECT_EQ(one.point.mode.cpu_cores, 8);
  }
  EXPECT_TRUE(seen);
}

// "The default mode may not be Pareto optimal" (Prashanthi et al. 2023). In the published sweeps of
// the AGX Orin, modes that are faster than MAXN and draw less power are 11 of 4,368 for ResNet-18,
// 8 for YOLOv8n, and none for MobileNetV3.
TEST(Presets, MaxnIsBeatenInSomePublishedSweeps) {
  RIDGEWATT_REQUIRE_SHARED();
  const auto beating = [](const std::string& name) {
    const Sweep sweep = read_sweep(
        (testing::shared_folder() / "data" / "agx-orin" / "training" / (name + ".csv")).string());
    return preset_standings(measured_points(sweep), "agx-orin", FrontCost::kTime,
                            FrontCost::kPower)[0];
  };
  const PresetStanding resnet = beating("resnet18");
  EXPECT_EQ(resnet.name, "MAXN");
  EXPECT_EQ(resnet.better, 11U);
  // 12 cores at 1651.2 MHz: 46.576 W instead of 51.129 W.
  ASSERT_TRUE(resnet.best);
  EXPECT_DOUBLE_EQ(resnet.best->point.mode.cpu_clock_hz, 1651.2e6);
  EXPECT_NEAR(resnet.best->cost.power_w.mean / resnet.cost.power_w.mean, 1 / 1.09774, 1e-4);
  EXPECT_EQ(beating("yolov8n").better, 8U);
  EXPECT_EQ(beating("mobilenet_v3").better, 0U);
}

}  // namespace
}  // namespace ridgewatt::answer
