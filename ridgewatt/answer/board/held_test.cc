#include "ridgewatt/answer/held.h"

#include <gtest/gtest.h>

#include "ridgewatt/answer/estimate.h"
#include "ridgewatt/thermal/hold.h"
#include "ridgewatt/thermal/thermal_file.h"

namespace ridgewatt::answer {
namespace {

// A board whose chip becomes 1.3 K hotter per watt (0.3 K/W and a heat sink of 1 W/K), with hardly
// any leakage.
thermal::ThermalFile simple_board() {
  return thermal::parse_thermal_file(
      "[thermal]\n"
      "origin = \"by hand\"\nprovenance = \"measured\"\n"
      "junction_sink_k_per_w = 0.3\njunction_j_per_k = 10.0\nsink_j_per_k = 300.0\n"
      "still_w_per_k = 1.0\nfan_w_per_k = 0.0\n"
      "leakage_per_k = 1e-6\nleakage_sd = 1e-7\n"
      "ambient_celsius = 25.0\nfan = 0.0\nidle_w = 5.0\ntrip_celsius = 90.0\n"
      "rmse_k = 0.1\nduration_s = 3600.0\nrows = 3600\n"
      "covariance = [1e-8, 0, 1e-8, 0, 0, 1e-8, 0, 0, 0, 1e-8, 0, 0, 0, 0, 1e-8, 0, 0, 0, 0, 0, "
      "1e-8]\n",
      "by hand");
}

// The preset leaves 6 of 16 SMs on, and a lower clock switches no other on. A board that can hold
// 0.5 % less than the power of the mode is slower by at most a few percent. With all SMs on, every
// lower clock but the lowest would need more power than the mode.
TEST(Held, AThrottledPresetKeepsItsMultiprocessors) {
  EstimateQuestion asked;
  asked.workload.model = "zoo:resnet50";
  asked.device = "agx-orin";
  asked.modes = "MODE_15W";
  asked.batches = {16};
  EstimateAnswer found = estimate_on_board(asked, asked.workload.load(), asked.device);
  const twin::MinibatchCost mode = found.rows[0].estimate.total;
  const double sustained_w = 0.995 * mode.power_w;
  thermal::HoldQuestion question;
  question.ambient_celsius = 25;
  question.trip_celsius = 25 + 1.3 * sustained_w;
  add_holds(found, simple_board(), question);
  const HeldRow& held = found.held.front();
  ASSERT_FALSE(held.hold.holds);
  ASSERT_NEAR(held.hold.sustained_w / sustained_w, 1, 0.001);
  ASSERT_TRUE(held.sustained_time_s);
  EXPECT_GT(*held.sustained_time_s, mode.period_s);
  EXPECT_LT(*held.sustained_time_s, 1.04 * mode.period_s);
}

}  // namespace
}  // namespace ridgewatt::answer
