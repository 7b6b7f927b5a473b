#include "ridgewatt/report/board_report.h"

#include <gtest/gtest.h>

#include <sstream>

#include "ridgewatt/base/test_support.h"
#include "ridgewatt/io/csv.h"

namespace ridgewatt::report {
namespace {

TEST(BoardReport, EveryNumberHasItsSource) {
  for (const auto& name : list_boards()) {
    const Table facts = board_fact_table(load_board(name));
    for (const auto& row : facts.rows()) {
      const auto& value = std::get<std::string>(row[1]);
      if (value.starts_with("not known")) continue;
      EXPECT_TRUE(std::holds_alternative<std::string>(row[2])) << name << ' ' << value;
    }
  }
}

}  // namespace
}  // namespace ridgewatt::report
