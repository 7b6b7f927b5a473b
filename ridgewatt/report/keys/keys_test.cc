#include "ridgewatt/report/keys.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "ridgewatt/report/keys/key_tables.h"

namespace ridgewatt::report {
namespace {

TEST(Keys, AreDeclaredOnce) {
  std::set<std::pair<std::string_view, std::string_view>> keys;
  for (const auto& [key, meaning, object] : all_keys()) {
    EXPECT_TRUE(keys.insert({object, key}).second) << key << " has a second row: " << meaning;
    EXPECT_FALSE(meaning.empty()) << key;
  }
}

TEST(Keys, TheLongestEndOfAPathCounts) {
  EXPECT_NE(meaning_of("tune", "memory_gb.board"), meaning_of("tune", "board"));
  EXPECT_EQ(meaning_of("estimate", "estimates[].time_lo_ms"), meaning_of("tune", "time_lo_ms"));
  EXPECT_EQ(meaning_of("tune", "no_such_key"), "");
}

}  // namespace
}  // namespace ridgewatt::report
