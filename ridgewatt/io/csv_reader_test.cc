#include "ridgewatt/io/csv_reader.h"

#include <gtest/gtest.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/io/csv.h"

namespace ridgewatt {
namespace {

// RFC 4180: quotes, commas and line ends inside fields, and both kinds of line ends between rows.
TEST(CsvReader, ReadsRfc4180) {
  const std::string text =
      "\xEF\xBB\xBF"
      "a,b ,c\r\n1,\"x,\"\"y\"\"\n\",3\r\n\r\n\n4, five ,\r\n6,7,8";
  CsvReader csv(text, "t.csv");
  EXPECT_EQ(csv.header(), (std::vector<std::string>{"a", "b", "c"}));
  ASSERT_TRUE(csv.next());
  EXPECT_EQ(csv.field(1), "x,\"y\"");  // blanks at the ends are ignored
  EXPECT_EQ(csv.line(), 2u);
  ASSERT_TRUE(csv.next());
  EXPECT_EQ(csv.line(), 6u);
  EXPECT_EQ(csv.field(1), "five");
  EXPECT_EQ(csv.field(2), "");
  ASSERT_TRUE(csv.next());
  EXPECT_EQ(csv.number(2), 8);
  EXPECT_FALSE(csv.next());
}

// The error in the first column of a file; empty: none.
std::string fault_of(std::string_view text) {
  try {
    CsvReader csv(text, "t.csv");
    while (csv.next()) csv.number(0);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

// Each name is compared with all others, so the time of reading a header grows with its square.
TEST(CsvReader, AHeaderOfThousandsOfColumnsIsRefusedAtOnce) {
  std::string header = "a0";
  for (int i = 1; i < 200'000; ++i) header += ",a" + std::to_string(i);
  EXPECT_EQ(fault_of(header + "\n"),
            "the header has 200000 columns, but at most 1000 are read: t.csv");
}

// What spreadsheets of many countries write.
TEST(CsvReader, OtherSeparatorsAndDecimalCommasAreNamed) {
  EXPECT_NE(fault_of("a;b\n1;2\n").find("the separator is a semicolon"), std::string::npos);
  EXPECT_NE(fault_of("a\tb\n1\t2\n").find("the separator is a tab"), std::string::npos);
  // The line ends of old Macs. Dropped carriage returns would make one number of two.
  for (const char* text : {"a,b\r1,2\r", "a\n1\r2\r3\n", "a,b\n1\r5,2\n"}) {
    EXPECT_NE(fault_of(text).find("a carriage return is not at the end"), std::string::npos);
  }
  for (const char* text : {"a,b\r\n1,2\r\n", "a\r\r\n1\r\r\n", "a\n1\r"}) {
    EXPECT_EQ(fault_of(text), "");
  }
  for (const char* text : {"a,b\n\"1,5\",2\n", "a,b\n1,5,2\n"}) {
    EXPECT_NE(fault_of(text).find("write decimals with a point"), std::string::npos) << text;
  }
  EXPECT_EQ(fault_of("a,b\nx,2\n").find("decimals"), std::string::npos);
}

TEST(CsvReader, FaultsAreNamedByLine) {
  using std::string_view_literals::operator""sv;
  EXPECT_NE(fault_of("a,b\n1,2\n1\n").find("line 3"), std::string::npos);
  EXPECT_NE(fault_of("a,b\n1,2,3\n").find("3 fields"), std::string::npos);
  EXPECT_NE(fault_of("a\n\"1\n").find("never closed"), std::string::npos);
  EXPECT_NE(fault_of("a,a\n").find("twice"), std::string::npos);
  EXPECT_NE(fault_of("a,\n").find("no name"), std::string::npos);
  EXPECT_NE(fault_of("").find("empty"), std::string::npos);
  EXPECT_NE(fault_of("a\nnan\n").find("line 2"), std::string::npos);
  EXPECT_NE(fault_of("a\n1\0\n"sv).find("NUL"), std::string::npos);
}

}  // namespace
}  // namespace ridgewatt
