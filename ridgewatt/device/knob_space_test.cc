#include "ridgewatt/device/knob_space.h"

#include <gtest/gtest.h>

#include "ridgewatt/base/error.h"

namespace ridgewatt {
namespace {

TEST(KnobSpace, GridHoldsEveryCombinationInOrder) {
  const KnobSpace space(KnobSpace::Levels{{{2, 4}, {}, {3e8, 1e8, 2e8}, {2e9}}});
  ASSERT_EQ(space.size(), 6u);
  EXPECT_TRUE(std::is_sorted(space.modes().begin(), space.modes().end()));
  EXPECT_EQ(space.top(), (PowerMode{4, 0, 3e8, 2e9, ""}));
  for (std::size_t i = 0; i < space.size(); ++i) EXPECT_EQ(space.find(space[i]), i);
  EXPECT_FALSE(space.find({3, 0, 3e8, 2e9, ""}));
  EXPECT_EQ(space.nearest({4, 0, 2.2e8, 1e9, ""}), (PowerMode{4, 0, 2e8, 2e9, ""}));
}

TEST(KnobSpace, ListKeepsExactlyItsModes) {
  const KnobSpace space(
      std::vector<PowerMode>{{4, 0, 1e8, 0, ""}, {2, 0, 2e8, 0, ""}, {4, 0, 1e8, 0, ""}});
  EXPECT_EQ(space.size(), 2u);
  EXPECT_EQ(space.levels(Knob::kCpuCores), (std::vector<double>{2, 4}));
  EXPECT_TRUE(space.levels(Knob::kMemClock).empty());
  EXPECT_THROW(KnobSpace(std::vector<PowerMode>{}), UsageError);
}

TEST(PowerMode, IsDescribedInTheUnitsOfTheBoard) {
  EXPECT_EQ(describe({12, 2201.6e6, 1300.5e6, 3199e6, ""}),
            "12 cores, CPU 2201.6, GPU 1300.5, memory 3199 MHz");
  EXPECT_EQ(describe({0, 0, 0, 0, "schedutil"}), "governor schedutil");
  EXPECT_EQ(knob_in_field_unit({0, 0, 114750000, 0, ""}, Knob::kGpuClock), 114.75);
}

}  // namespace
}  // namespace ridgewatt
