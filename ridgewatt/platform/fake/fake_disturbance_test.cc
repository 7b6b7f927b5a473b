// Tests disturbances of a fake board's load: how the file is read, how they show on the board, and
// what is rejected.
#include "ridgewatt/platform/fake_disturbance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/platform/fake_board_support.h"
#include "ridgewatt/platform/jetson_sensors.h"

namespace ridgewatt::platform {
namespace {

using ::testing::HasSubstr;

constexpr char kHead[] = "begin_s,end_s,time,power,celsius,process\n";

TEST(FakeDisturbance, ATableSaysWhenAndHowMuch) {
  const auto all = parse_fake_disturbances(
      std::string(kHead) + "20,,1.25,1.08,0,4242 other.py\n5,60,1,1.06,-18,\n", "it");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_TRUE(std::isinf(all[0].end_s));
  EXPECT_EQ(all[0].process, "4242 other.py");
  EXPECT_FALSE(all[0].active(19.9));
  EXPECT_TRUE(all[0].active(1e6));
  EXPECT_EQ(all[1].celsius, -18);
  EXPECT_TRUE(all[1].active(5));
  EXPECT_FALSE(all[1].active(60));
}

TEST(FakeDisturbance, WhatIsNotOneIsRefusedWithItsLine) {
  for (const char* row :
       {"-1,,1,1,0,\n", "0,,0,1,0,\n", "0,,1,11,0,\n", "0,,1,1,1e9,\n", "0,,nan,1,0,\n",
        "0,,1,1,0,other.py\n", "0,,1,1,0,4242 a b\n", "x,,1,1,0,\n", "0,,1,1\n"}) {
    try {
      parse_fake_disturbances(std::string(kHead) + row, "it");
      ADD_FAILURE() << row;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("it")) << row;
    }
  }
  EXPECT_THROW(parse_fake_disturbances("", "it"), Error);
  EXPECT_THROW(parse_fake_disturbances("begin_s,time\n0,1\n", "it"), Error);
  std::string many = kHead;
  for (int i = 0; i < 1001; ++i) many += "0,,1,1,0,\n";
  EXPECT_THROW(parse_fake_disturbances(many, "it"), Error);
}

// While a disturbance lasts, the zones are warmer and its process is on the GPU. Afterwards the
// board is unchanged.
TEST(FakeDisturbance, TheBoardShowsIt) {
  const ridgewatt::testing::FakeBoard board("agx-orin-jp6");
  const auto hottest = [&] {
    const auto sensors = SensorReader(*board.sysfs).read();
    double most = 0;
    for (const auto& zone : sensors.temperatures) most = std::max(most, zone.celsius.value_or(0));
    return most;
  };
  const double cool = hottest();
  std::ofstream(board.root + FakeDisturbances::kFile)
      << kHead << "10,20,1.25,1.08,12,4242 other.py\n";
  {
    FakeDisturbances disturbances(*board.sysfs);
    EXPECT_EQ(disturbances.disturbed({2, 10}, 9).time_s, 2);
    const auto at = disturbances.disturbed({2, 10}, 11);
    EXPECT_DOUBLE_EQ(at.time_s, 2.5);
    EXPECT_DOUBLE_EQ(at.power_w, 10.8);
    EXPECT_NEAR(hottest(), cool + 12, 0.1);
    const auto text = board.sysfs->text("/sys/kernel/debug/nvmap/iovmm/clients");
    EXPECT_THAT(text.value_or(""), HasSubstr("other.py 4242"));
    disturbances.disturbed({2, 10}, 21);
    EXPECT_NEAR(hottest(), cool, 0.1);
    disturbances.disturbed({2, 10}, 11);
  }
  EXPECT_NEAR(hottest(), cool, 0.1);
}

}  // namespace
}  // namespace ridgewatt::platform
