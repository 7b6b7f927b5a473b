#include "ridgewatt/base/sentence.h"

#include <gtest/gtest.h>

namespace ridgewatt {
namespace {

TEST(Sentence, NumbersHaveNoExponent) {
  EXPECT_EQ(sentence("{:.3g} ms ({:.3g} to {:.3g})", 1034.2, 807.4, 1311.0),
            "1034 ms (807 to 1311)");
  EXPECT_EQ(sentence("{:.2g} cores", 105.0), "105 cores");
  EXPECT_EQ(sentence("{:.3g}", 999.7), "1000");
  EXPECT_EQ(sentence("{:.3g}", -2500.0), "-2500");
  for (double value = 0.001; value <= 1e6; value *= 1.37) {
    for (const std::string& text :
         {sentence("{:.2g}", value), sentence("{:.4g}", value), sentence("{:g}", value)}) {
      EXPECT_EQ(text.find('e'), std::string::npos) << text;
      EXPECT_NEAR(std::stod(text), value, 0.051 * value);
    }
  }
}

TEST(Sentence, OtherArgumentsAreThoseOfFmt) {
  const std::string board = "agx-orin";
  EXPECT_EQ(sentence("{} of {} on {}: {:.0f} %", 3, std::size_t{20}, board, 12.6),
            "3 of 20 on agx-orin: 13 %");
  EXPECT_EQ(sentence("{1} {0:.3g}", 30.0, "text"), "text 30");
  EXPECT_EQ(sentence("{}", 0.25), "0.25");
}

}  // namespace
}  // namespace ridgewatt
