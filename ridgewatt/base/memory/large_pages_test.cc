#include "ridgewatt/base/large_pages.h"

#include <gtest/gtest.h>

#include <string>

namespace ridgewatt {
namespace {

TEST(LargePages, ReservingKeepsWhatIsThereAndLeavesTheRestToBeFilled) {
  for (const std::size_t count : {std::size_t{0}, std::size_t{3}, std::size_t{200'000}}) {
    std::vector<std::string> values = {"first", "second"};
    reserve_large(values, count);
    EXPECT_GE(values.capacity(), count);
    ASSERT_EQ(values.size(), 2u);
    values.resize(count + 2, "more");
    EXPECT_EQ(values[0], "first");
    EXPECT_EQ(values[1], "second");
    EXPECT_EQ(values.back(), count > 0 ? "more" : "second");
  }
}

}  // namespace
}  // namespace ridgewatt
