// Tests the text of a goal of `govern`.
#include <gtest/gtest.h>

#include "ridgewatt/report/measure_report.h"

namespace ridgewatt::report {
namespace {

TEST(GoalText, IsStatedInHoursAndWattHours) {
  EXPECT_EQ(goal_text({.end_s = 24 * 3600, .energy_j = 400 * 3600}),
            "the most work with 400 Wh in 24 h 0 min");
  EXPECT_EQ(goal_text({.end_s = 6 * 3600, .minibatches = 40000, .power_w = 30}),
            "40000 minibatches within 6 h 0 min at the least energy, under 30 W");
  EXPECT_EQ(goal_text({.power_w = 25}), "the most work under 25 W");
  EXPECT_EQ(goal_text({.latency_s = 0.05}), "requests within 50 ms at the least power");
}

}  // namespace
}  // namespace ridgewatt::report
