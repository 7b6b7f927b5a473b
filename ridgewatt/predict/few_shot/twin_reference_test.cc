#include "ridgewatt/predict/twin_reference.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace ridgewatt::predict {
namespace {

// The times of ResNet-50 with 4 cores at 318.75, 420.75 and 522.75 MHz. The second mode has the
// knobs of MODE_15W, which leaves 6 of 16 SMs on.
std::vector<Observation> around_a_preset(Provenance samples) {
  std::vector<OperatingPoint> points;
  for (const double gpu_hz : {318.75e6, 420.75e6, 522.75e6}) {
    points.push_back({{4, 1113.6e6, gpu_hz, 2133e6, ""}, 16});
  }
  return twin_reference("agx-orin",
                        std::make_shared<const workload::DeployedWorkload>("zoo:resnet50"), samples,
                        points)
      .at(points);
}

// A sweep sets cores and clocks, not presets, so a higher GPU clock is faster.
TEST(TwinReference, PresetsOfMeasuredSamplesHaveAllMultiprocessors) {
  const auto rows = around_a_preset(Provenance::kReplayed);
  EXPECT_LT(rows[1].time_s, rows[0].time_s);
  EXPECT_LT(rows[2].time_s, rows[1].time_s);
  EXPECT_GT(rows[1].power_w, rows[0].power_w);
}

// Modelled samples come from the same twin, which estimates the preset.
TEST(TwinReference, PresetsOfModelledSamplesAreThoseOfTheTwin) {
  const auto rows = around_a_preset(Provenance::kModelled);
  EXPECT_GT(rows[1].time_s, 1.2 * rows[0].time_s);
}

}  // namespace
}  // namespace ridgewatt::predict
