#include "ridgewatt/sweep/point_axis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ridgewatt {
namespace {

// The axes have the order of the columns in sweeps: four knobs, then the batch.
TEST(PointAxis, EachAxisIsOneFieldOfThePoint) {
  const OperatingPoint point{{6, 1.5e9, 6.12e8, 2.133e9, ""}, 16};
  std::vector<double> values;
  std::vector<std::string> fields;
  for (const PointAxis axis : kPointAxes) {
    values.push_back(axis_value(point, axis));
    fields.emplace_back(axis_field(axis));
  }
  EXPECT_THAT(values, ::testing::ElementsAre(6, 1.5e9, 6.12e8, 2.133e9, 16));
  EXPECT_THAT(fields,
              ::testing::ElementsAre("cpu_cores", "cpu_mhz", "gpu_mhz", "mem_mhz", "batch"));
  for (const Knob knob : kKnobs) EXPECT_EQ(knob_of(kPointAxes[static_cast<int>(knob)]), knob);
  EXPECT_EQ(knob_of(PointAxis::kBatch), std::nullopt);
}

}  // namespace
}  // namespace ridgewatt
