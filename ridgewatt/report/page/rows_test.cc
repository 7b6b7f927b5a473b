#include "ridgewatt/report/rows.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <limits>
#include <numeric>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/io/csv.h"

namespace ridgewatt::report {
namespace {

struct Row {
  std::size_t number;
};

Rows counted(std::size_t count) {
  const Fields<Row> fields = {
      {{"number"}, [](const Row& row) { return static_cast<std::int64_t>(row.number); }},
      {{"half"}, [](const Row& row) { return static_cast<double>(row.number) / 2; }},
      {{"text"},
       [](const Row& row) { return std::string(row.number % 2 == 0 ? "even, \"2\"" : "odd"); }},
      {{"third"}, [](const Row& row) {
         return row.number % 3 == 0 ? std::optional(static_cast<double>(row.number) / 3)
                                    : std::nullopt;
       }}};
  return rows_of(fields, count, [](std::size_t i) { return Row{i}; });
}

std::string csv_of(const Rows& rows) {
  std::ostringstream out;
  write_csv(out, rows);
  return out.str();
}

std::string text_of(const StreamedJson& json) {
  std::ostringstream out;
  json.write(out);
  return out.str();
}

TEST(Rows, AsCsv) {
  EXPECT_EQ(csv_of(counted(0)), "number,half,text,third\n");
  EXPECT_EQ(csv_of(counted(2)), "number,half,text,third\n0,0,\"even, \"\"2\"\"\",0\n1,0.5,odd,\n");
}

// Several threads write parts. No part is lost, and the order is kept.
TEST(Rows, OfManyPartsStayInOrder) {
  constexpr std::size_t kMany = 20'001;
  const CsvTable read = parse_csv(csv_of(counted(kMany)), "rows");
  ASSERT_EQ(read.rows.size(), kMany);
  for (std::size_t i = 0; i < kMany; ++i) {
    ASSERT_EQ(read.number(i, 0), static_cast<double>(i));
    ASSERT_EQ(read.rows[i][3].empty(), i % 3 != 0) << i;
  }
}

// The text of the previous row is reused only if the value is identical.
TEST(Rows, ZeroAndNegativeZeroAreWrittenApart) {
  const double values[] = {0.0, -0.0, 0.0, 1e300, std::numeric_limits<double>::denorm_min()};
  const Rows rows = rows_of<Row>({{{"x"}, [](const Row&) { return 0.0; }}}, 5,
                                 [](std::size_t i) { return Row{i}; });
  Rows read = rows;
  read.fill = [&](std::size_t i, std::vector<Cell>& cells) { cells[0] = values[i]; };
  EXPECT_EQ(csv_of(read), "x\n0\n-0\n0\n1e+300\n5e-324\n");
}

// Unchanged columns are copied from the previous row, wherever they are in the row.
TEST(Rows, CopiedColumnsAreThoseOfTheTable) {
  const Fields<Row> fields = {
      {{"first"}, [](const Row& row) -> std::string_view { return row.number < 5 ? "a, b" : ""; }},
      {{"second"}, [](const Row& row) { return row.number / 3 * 0.1; }},
      {{"list"},
       [](const Row& row) { return std::vector<std::string>(row.number / 7 % 3, "x\"y"); }},
      {{"third"}, [](const Row& row) { return row.number % 4 < 2; }},
      {{"mode"},
       [](const Row& row) {
         return PowerMode{4, 0, row.number % 2 == 0 ? 306e6 : 612e6, 0, ""};
       }},
      {{"last"}, [](const Row&) { return std::string("one"); }}};
  const Rows rows = rows_of(fields, 700, [](std::size_t i) { return Row{i}; });
  EXPECT_EQ(csv_of(rows), rows.table().csv());
  EXPECT_EQ(rows.table().rows()[1][0], Cell(std::string("a, b")));
  EXPECT_EQ(rows.table().rows()[6][0], Cell());
  EXPECT_EQ(rows.table().rows()[14][2], Cell(std::string("x\"y; x\"y")));
}

TEST(Rows, AsTable) {
  const Table table = counted(4).table();
  ASSERT_EQ(table.rows().size(), 4U);
  EXPECT_EQ(std::get<double>(table.rows()[3][1]), 1.5);
  EXPECT_EQ(table.columns()[2].name, "text");
}

TEST(StreamedJson, IsTheTextOfTheWhole) {
  Json head;
  head["before \"quoted\""] = {
      {"a", 1}, {"nested", {{"list", {1.5, nullptr, "x\ny"}}, {"none", Json::array()}}}};
  head["rows"] = nullptr;
  head["after"] = Json::object();
  for (const std::size_t count : std::initializer_list<std::size_t>{0, 1, 3, 5000}) {
    const StreamedJson json = streamed(head, "rows", counted(count));
    EXPECT_EQ(text_of(json), dump_json(json.whole()));
    EXPECT_EQ(json.whole()["rows"], counted(count).table().to_json());
    EXPECT_EQ(Json::parse(text_of(json))["rows"].size(), count);
  }
}

TEST(StreamedJson, RowsMayHoldObjects) {
  StreamedJson json{{{"list", nullptr}}, "list", 2, {}};
  json.fill = [](std::size_t i, Json& row) { row = {{"at", {{"index", i}}}}; };
  EXPECT_EQ(text_of(json), dump_json(json.whole()));
  EXPECT_EQ(json.whole()["list"][1]["at"]["index"], 1);
}

TEST(StreamedJson, KeysAfterTheRowsSayWhatTheRowsLeft) {
  constexpr std::size_t kMany = 5000;
  std::vector<std::size_t> left(kMany);
  StreamedJson json{{{"rows", nullptr}}, "rows", kMany, {}};
  json.fill = [&](std::size_t i, Json& row) { row = left[i] = i; };
  json.add_rest = [&](Json& rest) {
    rest["sum"] = std::accumulate(left.begin(), left.end(), std::size_t{0});
  };
  EXPECT_EQ(Json::parse(text_of(json))["sum"], kMany * (kMany - 1) / 2);
  left.assign(kMany, 0);
  EXPECT_EQ(json.whole()["sum"], kMany * (kMany - 1) / 2);
  EXPECT_EQ(text_of(json), dump_json(json.whole()));
}

}  // namespace
}  // namespace ridgewatt::report
