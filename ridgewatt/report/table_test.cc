#include "ridgewatt/report/table.h"

#include <gtest/gtest.h>

#include <sstream>

namespace ridgewatt {
namespace {

TEST(Table, ThreeFormats) {
  Table table({{"name", "model"}, {"time_ms", "time (ms)", 4}, {"count", ""}});
  table.add_row({std::string("a,\x1b"), 1.0 / 3, std::int64_t{5}});
  table.add_row({std::monostate{}, 1234.56, std::monostate{}});
  std::ostringstream terminal;
  table.print_terminal(terminal);
  EXPECT_EQ(terminal.str(),
            "model   time (ms)  count\n"
            "a,\\x1b     0.3333      5\n"
            "-            1235      -\n");
  std::ostringstream csv;
  table.print_csv(csv);
  EXPECT_EQ(csv.str(), "name,time_ms,count\n\"a,\x1b\",0.3333333333333333,5\n,1234.56,\n");
  EXPECT_EQ(table.to_json()[1]["time_ms"], 1234.56);
  EXPECT_TRUE(table.to_json()[1]["name"].is_null());
}

}  // namespace
}  // namespace ridgewatt
