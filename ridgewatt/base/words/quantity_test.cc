// Tests numbers with units as people write them, and rejected texts.
#include "ridgewatt/base/quantity.h"

#include <gtest/gtest.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"

namespace ridgewatt {
namespace {

double value_of(const std::string& text, const Quantity& quantity) {
  return parse_double(read_quantity(text, quantity)).value();
}

TEST(Quantity, UnitsAreMultiplesOfTheBareOne) {
  for (const char* text : {"30", "30W", "30 W", " 30 w ", "+30", "0.03kW", "30000mW", "3e1"}) {
    EXPECT_DOUBLE_EQ(value_of(text, units::watts()), 30) << text;
  }
  EXPECT_DOUBLE_EQ(value_of("10min", units::seconds()), 600);
  EXPECT_DOUBLE_EQ(value_of("1h", units::milliseconds()), 3.6e6);
  EXPECT_DOUBLE_EQ(value_of("500us", units::milliseconds()), 0.5);
  EXPECT_DOUBLE_EQ(value_of("2 GB", units::bytes()), 2e9);
  EXPECT_DOUBLE_EQ(value_of("1GiB", units::mebibytes()), 1024);
  EXPECT_DOUBLE_EQ(value_of("1.3GHz", units::megahertz()), 1300);
  EXPECT_DOUBLE_EQ(value_of("120/min", units::hertz()), 2);
  EXPECT_DOUBLE_EQ(value_of("1Wh", units::joules()), 3600);
  EXPECT_DOUBLE_EQ(value_of("5%", units::share()), 0.05);
  EXPECT_DOUBLE_EQ(value_of("5", units::percent()), 5);
}

TEST(Quantity, WholeNumbersKeepAllTheirDigits) {
  EXPECT_EQ(read_quantity("18446744073709551615", units::count().within(0, 2e19)),
            "18446744073709551615");
  EXPECT_EQ(read_quantity("1e6", units::count()), "1000000");
  EXPECT_EQ(read_quantity("64KiB", units::bytes().whole()), "65536");
  EXPECT_THROW(read_quantity("1.5", units::count()), UsageError);
}

TEST(Quantity, WhatIsNotANumberOfTheKindIsRefused) {
  for (const char* text : {"", " ", "nan", "-nan", "inf", "-inf", "1e400", "-1e400", "-1", "W",
                           "30X", "30WW", "0x10", "1,5", "30 30", "--", "30\xC2\xB5W"}) {
    EXPECT_THROW(read_quantity(text, units::watts()), UsageError) << text;
  }
  EXPECT_THROW(read_quantity("0", units::watts().positive()), UsageError);
  EXPECT_NO_THROW(read_quantity("0", units::watts()));
  EXPECT_THROW(read_quantity("30Hz", units::seconds()), UsageError);
  EXPECT_THROW(read_quantity("101%", units::share()), UsageError);
}

TEST(Quantity, InSiTheBareNumberIsTheSiUnit) {
  const Quantity clock = units::megahertz().within(1, 2000).in_si();
  EXPECT_EQ(clock.unit, "Hz");
  EXPECT_DOUBLE_EQ(clock.least, 1e6);
  EXPECT_DOUBLE_EQ(clock.most, 2e9);
  EXPECT_EQ(units::share().in_si().unit, "");
  EXPECT_EQ(units::milliseconds().in_si().unit, "s");
  EXPECT_EQ(quantity_value("300us", units::milliseconds()), 0.0003);  // IEEE 754: 0.3 / 1000
  EXPECT_EQ(quantity_value("2 GHz", units::megahertz()), 2e9);
}

}  // namespace
}  // namespace ridgewatt
