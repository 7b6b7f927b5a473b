#include "ridgewatt/base/sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "ridgewatt/base/random.h"

namespace ridgewatt {
namespace {

TEST(SortStably, GivesWhatTheStandardLibraryGives) {
  Random random(7);
  for (std::size_t count = 0; count < 200; ++count) {
    std::vector<std::pair<int, std::string>> items;
    for (std::size_t i = 0; i < count; ++i) {
      items.emplace_back(static_cast<int>(random.below(10)), std::to_string(i));
    }
    const auto before = [](const auto& a, const auto& b) { return a.first < b.first; };
    auto expected = items;
    std::stable_sort(expected.begin(), expected.end(), before);
    sort_stably(items, before);
    ASSERT_EQ(items, expected);
  }
}

TEST(SortStably, MovesWhatCannotBeCopied) {
  std::vector<std::unique_ptr<int>> items;
  for (const int value : {3, 1, 2}) items.push_back(std::make_unique<int>(value));
  sort_stably(items, [](const auto& a, const auto& b) { return *a < *b; });
  EXPECT_EQ(*items[0] * 100 + *items[1] * 10 + *items[2], 123);
}

}  // namespace
}  // namespace ridgewatt
