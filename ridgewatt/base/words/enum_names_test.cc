#include "ridgewatt/base/enum_names.h"

#include <gtest/gtest.h>

#include "ridgewatt/base/error.h"

namespace ridgewatt {
namespace {

enum class Fruit { kApple, kPear, kPlum };
constexpr auto enum_names(Fruit) {
  return named<Fruit>({{Fruit::kApple, "apple"}, {Fruit::kPear, "pear"}, {Fruit::kPlum, "plum"}});
}

struct Basket {
  enum class Size : unsigned char { kSmall, kSize2 };
  friend constexpr auto enum_names(Size) {
    return named<Size>({{Size::kSmall, "small"}, {Size::kSize2, "large"}});
  }
};

TEST(EnumNames, EveryValueIsReadBackFromItsName) {
  EXPECT_EQ(name_of(Fruit::kPear), "pear");
  EXPECT_EQ(parse<Fruit>("plum", "fruit"), Fruit::kPlum);
  EXPECT_EQ(name_of(Basket::Size::kSize2), "large");
  EXPECT_EQ(names<Fruit>(), (std::vector<std::string>{"apple", "pear", "plum"}));
  static_assert(find_name<Fruit>("apple") == Fruit::kApple && !find_name<Fruit>("Apple"));
  static_assert(count_of<Fruit>() == 3 && count_of<Basket::Size>() == 2);
}

TEST(EnumNames, AnUnknownNameIsReportedWithThoseThatExist) {
  try {
    parse<Fruit>("che\033rry", "fruit");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "unknown fruit: 'che\\x1brry': choose one of apple, pear, plum");
  }
  EXPECT_EQ(name_of(static_cast<Fruit>(9)), "");
}

TEST(EnumNames, AValueWithoutAnEnumeratorIsReported) {
  static_assert(is_enumerator<Fruit::kPlum>() && !is_enumerator<static_cast<Fruit>(3)>());
  static_assert(is_enumerator<Basket::Size::kSize2>());
  static_assert(!is_enumerator<static_cast<Basket::Size>(12)>());
}

}  // namespace
}  // namespace ridgewatt
