#include "ridgewatt/report/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"

namespace ridgewatt::report {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

struct Printed {
  std::vector<std::string> lines;
  TableCut cut;
};

Printed printed(const Table& table, std::size_t width) {
  std::ostringstream out;
  Printed result;
  result.cut = table.print_terminal(out, width);
  result.lines = split(out.str(), '\n');
  result.lines.pop_back();
  return result;
}

// Counts code points, because each takes one column.
std::size_t columns_of(const std::string& line) {
  return static_cast<std::size_t>(
      std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::vector<Cell> column_of(const Table& table, std::size_t c) {
  std::vector<Cell> cells;
  for (const auto& row : table.rows()) cells.push_back(row[c]);
  return cells;
}

Table layers() {
  Table table({{.name = "layer"},
               {.name = "time_ms"},
               {.name = "time_lo_ms", .rank = 2},
               {.name = "time_hi_ms", .rank = 2},
               {.name = "power_w", .rank = 1},
               {.name = "reason", .rank = 3, .wrap = true}});
  table.add_row({"/encoder/layer.0/attention/self/query/MatMul", 1234.5678, 1000.0, 1500.0, 12.5,
                 "the first of all that were tried, because it is the fastest"});
  table.add_row(
      {"/encoder/layer.1/attention/self/query/MatMul", 0.012345, 0.01, 0.02, 9.75, "a neighbor"});
  return table;
}

TEST(Table, ThreeFormats) {
  Table table({{"name", "model"}, {"time_ms"}, {"count"}});
  table.add_row({std::string("a,\x1b"), 1.0 / 3, std::int64_t{5}});
  table.add_row({std::monostate{}, 1234.56, std::monostate{}});
  std::ostringstream terminal;
  table.print_terminal(terminal);
  EXPECT_EQ(terminal.str(),
            "model   time (ms)  count\n"
            "a,\\x1b     0.3333      5\n"
            "-       1235           -\n");
  std::ostringstream csv;
  table.print_csv(csv);
  EXPECT_EQ(csv.str(), "name,time_ms,count\n\"a,\\x1b\",0.3333333333333333,5\n,1234.56,\n");
  EXPECT_EQ(table.to_json()[1]["time_ms"], 1234.56);
  EXPECT_TRUE(table.to_json()[1]["name"].is_null());
}

// A name that is no literal outlives the text from which it was made.
TEST(Table, KeepsItsNamesAndTexts) {
  Table table;
  {
    std::string name = "a_long_name_that_no_short_string_holds_ms";
    std::string text = "a long text that no short string holds";
    table = Table({{.name = name + "_lo"}, {"text"}, {"count"}, {"number"}, {"cell"}});
    table.add_row({1.5, text, 3, std::nan(""), Cell()});
    name.assign(name.size(), '?');
    text.assign(text.size(), '?');
  }
  EXPECT_EQ(table.csv(),
            "a_long_name_that_no_short_string_holds_ms_lo,text,count,number,cell\n"
            "1.5,a long text that no short string holds,3,,\n");
}

TEST(Table, HeadingsAreWordsWithTheUnitInParentheses) {
  const auto heading = [](Label name) { return column_heading({.name = name}); };
  EXPECT_EQ(heading("time_ms"), "time (ms)");
  EXPECT_EQ(heading("time_lo_ms"), "time from (ms)");
  EXPECT_EQ(heading("static_power_w_hi"), "static power to (W)");
  EXPECT_EQ(heading("cpu_mhz"), "CPU (MHz)");
  EXPECT_EQ(heading("reached_gflop_per_s"), "reached (GFLOP/s)");
  EXPECT_EQ(heading("over_budget_pct"), "over budget (%)");
  EXPECT_EQ(heading("fits_memory"), "fits memory");
  EXPECT_EQ(heading("batch"), "batch");
  EXPECT_EQ(column_heading({.name = "x_ms", .heading = "mine"}), "mine");
}

TEST(Table, DigitsAndThousands) {
  EXPECT_EQ(cell_text(std::int64_t{6}, 6), "6");
  EXPECT_EQ(cell_text(std::int64_t{9999}, 4), "9999");
  EXPECT_EQ(cell_text(std::int64_t{-1234567}, 4), "-1,234,567");
  EXPECT_EQ(cell_text(std::int64_t{100000}, 4), "100,000");
  EXPECT_EQ(cell_text(12345.6, 4), "12,346");
  EXPECT_EQ(cell_text(12345.6, 7), "12,345.60");
  EXPECT_EQ(cell_text(0.012345, 3), "0.0123");
  EXPECT_EQ(cell_text(5.32e12, 4), "5.320 T");
  EXPECT_EQ(cell_text(1300.5, kNominal), "1300.5");
  EXPECT_EQ(cell_text(204.0, kNominal), "204");
  EXPECT_EQ(cell_text(0.0, 4), "0");
  EXPECT_EQ(cell_text(0.25, Column{.name = "share", .digits = 3, .scale = 100}), "25.0");
}

TEST(Table, PointsLieBelowEachOther) {
  Table table({{"x"}});
  for (const double x : {0.01234, 12.5, 1234.0}) table.add_row({x});
  EXPECT_THAT(printed(table, 0).lines, ElementsAre("         x", "   0.01234", "  12.50", "1234"));
}

TEST(Table, NoLineIsLongerThanTheTerminal) {
  for (std::size_t width = 20; width < 200; ++width) {
    const Printed narrow = printed(layers(), width);
    for (const auto& line : narrow.lines) {
      EXPECT_LE(columns_of(line), width) << line;
    }
  }
  const Printed whole = printed(layers(), 0);
  EXPECT_THAT(whole.cut.hidden, IsEmpty());
  EXPECT_FALSE(whole.cut.shortened);
  EXPECT_THAT(whole.lines[1], HasSubstr("because it is the fastest"));
}

// The name takes 44 columns and the time 9. Power is more important than the bounds of time, which
// are shown together or not at all.
TEST(Table, ColumnsAreHiddenByRank) {
  for (std::size_t width = 20; width < 200; ++width) {
    const auto hidden = printed(layers(), width).cut.hidden;
    const auto has = [&](const char* heading) {
      return std::find(hidden.begin(), hidden.end(), heading) != hidden.end();
    };
    EXPECT_EQ(has("time from (ms)"), has("time to (ms)")) << width;
    EXPECT_FALSE(has("layer"));
    EXPECT_FALSE(width >= 30 && has("time (ms)")) << width;
  }
  EXPECT_THAT(printed(layers(), 80).cut.hidden, Not(IsEmpty()));
  EXPECT_THAT(printed(layers(), 64).cut.hidden,
              ElementsAre("time from (ms)", "time to (ms)", "reason"));
}

TEST(Table, HeadingsBreakBeforeColumnsAreHidden) {
  Table table({{"energy_per_flop_pj"}, {.name = "energy_per_byte_pj", .rank = 1}});
  table.add_row({1.5, 2.5});
  // "energy per flop (pJ)" takes 20 columns, each half 10.
  const Printed narrow = printed(table, 24);
  EXPECT_THAT(narrow.cut.hidden, IsEmpty());
  ASSERT_EQ(narrow.lines.size(), 3U);
  EXPECT_EQ(narrow.lines[0], "energy per  energy per");
  EXPECT_EQ(narrow.lines[1], " flop (pJ)   byte (pJ)");
}

TEST(Table, LongNamesAreShortenedInTheMiddle) {
  const Printed narrow = printed(layers(), 40);
  EXPECT_TRUE(narrow.cut.shortened);
  EXPECT_THAT(narrow.lines.back(), HasSubstr("/encoder/"));
  EXPECT_THAT(narrow.lines.back(), HasSubstr("…"));
  EXPECT_THAT(narrow.lines.back(), HasSubstr("query/MatMul"));
  Table umlauts({{"name"}});
  umlauts.add_row({std::string("ääääääääääööööööööööüüüüüüüüüü")});
  EXPECT_EQ(printed(umlauts, 20).lines[1], "ääääääääää…üüüüüüüüü");
}

TEST(Table, ProseGoesOnInTheNextLine) {
  Table table({{"name"}, {.name = "why", .wrap = true}});
  const std::string why = "one two three four five six seven eight nine ten eleven twelve";
  table.add_row({"a", why});
  const Printed narrow = printed(table, 30);
  std::string joined;
  for (std::size_t l = 1; l < narrow.lines.size(); ++l) {
    for (const auto& word : words_of(narrow.lines[l])) joined += (joined.empty() ? "" : " ") + word;
  }
  EXPECT_EQ(joined, "a " + why);
  EXPECT_GT(narrow.lines.size(), 3U);
}

TEST(Table, SortsByNameHeadingOrWordAndKeepsEmptyCellsLast) {
  for (const char* order : {"time_ms", "time (ms)", "time", "Time (MS)", "time:asc"}) {
    Table table({{"name"}, {"time_ms"}});
    table.add_row({"b", Cell()});
    table.add_row({"a", 2.0});
    table.add_row({"c", 1.0});
    table.sort(order);
    EXPECT_THAT(column_of(table, 0), ElementsAre(Cell("c"), Cell("a"), Cell("b"))) << order;
  }
  for (const char* order : {"-time_ms", "time:desc"}) {
    Table table({{"name"}, {"time_ms"}});
    table.add_row({"b", Cell()});
    table.add_row({"c", std::int64_t{1}});
    table.add_row({"a", 2.0});
    table.sort(order);
    EXPECT_THAT(column_of(table, 0), ElementsAre(Cell("a"), Cell("c"), Cell("b"))) << order;
    table.keep_first(1);
    EXPECT_EQ(table.rows().size(), 1U);
  }
}

TEST(Table, AnUnknownColumnIsAnsweredWithThoseThatAre) {
  Table table({{"name"}, {"time_ms"}});
  try {
    table.sort("-color");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("color"));
    EXPECT_THAT(error.what(), HasSubstr("name, time_ms"));
  }
}

// For one command with its options, the header of the CSV never changes.
TEST(TableColumns, OptionalOnesThatNoRowFillsStandInCsvAlone) {
  Table table(
      {{"mode"}, {.name = "preset", .optional = true}, {.name = "batch", .optional = true}});
  table.add_row({std::string("a"), Cell(), std::int64_t{4}});
  table.add_row({std::string("b"), Cell(), Cell()});
  std::ostringstream csv, terminal;
  table.print_csv(csv);
  EXPECT_EQ(csv.str(), "mode,preset,batch\na,,4\nb,,\n");
  table.print_terminal(terminal);
  EXPECT_EQ(terminal.str(),
            "mode  batch\n"
            "a         4\n"
            "b         -\n");
  EXPECT_EQ(table.to_json().dump(), R"([{"mode":"a","batch":4},{"mode":"b","batch":null}])");
  table.keep_columns({"preset"});  // requested by name
  EXPECT_EQ(table.to_json().dump(), R"([{"preset":null},{"preset":null}])");
}

// A column with a rank that no row fills is not shown on the terminal, but JSON and CSV have it.
TEST(TableColumns, EmptyOnesWithARankAreNotOnTheTerminal) {
  Table table({{"mode"}, {"time_ms"}, {.name = "power_w", .rank = 1}});
  table.add_row({"a", Cell(), Cell()});
  const auto terminal = [](const Table& one) {
    std::ostringstream out;
    one.print_terminal(out);
    return out.str();
  };
  EXPECT_EQ(terminal(table), "mode  time (ms)\na             -\n");
  EXPECT_EQ(table.csv(), "mode,time_ms,power_w\na,,\n");
  EXPECT_EQ(table.to_json().dump(), R"([{"mode":"a","time_ms":null,"power_w":null}])");
  Table asked = table;
  asked.keep_columns({"mode", "power_w"});
  EXPECT_THAT(terminal(asked), HasSubstr("power (W)"));
  Table filled = table;
  filled.add_row({"b", Cell(), 3.0});
  EXPECT_THAT(terminal(filled), HasSubstr("power (W)"));
  EXPECT_THAT(terminal(Table(table.columns())), HasSubstr("power (W)"));  // no rows
}

TEST(TableColumns, RenamedOnesKeepTheirFormerNames) {
  Table table({{"mode"}, {.name = "predicted_s", .formerly = "foretold_s"}, {"batch"}});
  table.add_row({"a", 2.5, std::int64_t{4}});
  table.add_row({"b", 1.5, Cell()});
  const auto csv = [](const Table& one) {
    std::ostringstream out;
    one.print_csv(out);
    return out.str();
  };
  EXPECT_EQ(csv(table), "mode,predicted_s,batch,foretold_s\na,2.5,4,2.5\nb,1.5,,1.5\n");
  EXPECT_EQ(table.to_json()[0].dump(),
            R"({"mode":"a","predicted_s":2.5,"batch":4,"foretold_s":2.5})");
  table.sort("foretold_s");
  Table by_former_name = table;
  by_former_name.keep_columns({"foretold_s", "mode"});
  EXPECT_EQ(csv(by_former_name), "foretold_s,mode\n1.5,b\n2.5,a\n");
  table.keep_columns({"predicted_s"});
  EXPECT_EQ(csv(table), "predicted_s\n1.5\n2.5\n");
}

TEST(TableColumns, AreKeptInTheOrderAsked) {
  Table table({{"mode"}, {"time_ms"}, {"power_w"}});
  table.add_row({std::string("a"), 1.5, 20.0});
  table.keep_columns({"power", "time_ms"});
  std::ostringstream csv;
  table.print_csv(csv);
  EXPECT_EQ(csv.str(), "power_w,time_ms\n20,1.5\n");
  EXPECT_THROW(table.keep_columns({"mode"}), UsageError);
  EXPECT_THROW(table.keep_columns({"power_w", "power"}), UsageError);
}

}  // namespace
}  // namespace ridgewatt::report
