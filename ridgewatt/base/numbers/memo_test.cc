#include "ridgewatt/base/memo.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <utility>

#include "ridgewatt/base/parallel.h"

namespace ridgewatt {
namespace {

using Key = std::array<int, 2>;

// 600 keys share the slots, so that most are evicted, and eight threads ask for each.
TEST(Memo, ComputesEachValueOnceOnManyThreads) {
  const Memo<Key, int> squares;
  std::atomic<int> made = 0, wrong = 0;
  constexpr int kKeys = 600, kTimes = 50;
  parallel_for(
      static_cast<std::size_t>(kKeys) * kTimes,
      [&](std::size_t i) {
        const int of = static_cast<int>(i) % kKeys;
        const int& square = squares.at({of, -of}, [&] {
          ++made;
          return std::make_unique<const int>(of * of);
        });
        wrong += square != of * of;
      },
      8);
  EXPECT_EQ(made, kKeys);
  EXPECT_EQ(wrong, 0);
}

TEST(Memo, ValuesKeepTheirAddressWhenTheMemoMoves) {
  Memo<int, int> first;
  const auto make = [] { return std::make_unique<const int>(7); };
  const int* value = &first.at(1, make);
  const Memo<int, int> second = std::move(first);
  EXPECT_EQ(&second.at(1, make), value);
}

TEST(Memo, AFailureIsNotKept) {
  const Memo<int, int> memo;
  EXPECT_THROW(memo.at(1, []() -> std::unique_ptr<const int> { throw 1; }), int);
  EXPECT_EQ(memo.at(1, [] { return std::make_unique<const int>(3); }), 3);
}

}  // namespace
}  // namespace ridgewatt
