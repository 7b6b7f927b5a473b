#include "ridgewatt/report/page/table_html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ridgewatt/report/html_report.h"
#include "ridgewatt/report/test_support.h"

namespace ridgewatt::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::int64_t kModes = 18'096;  // modes of an AGX Orin
constexpr std::int64_t kPrime = 7919;    // no factor of kModes, so each time occurs once

Table mode_table(std::int64_t count) {
  Table table({{"name"}, {"time_ms", "time (ms)"}, {"cores"}});
  for (std::int64_t i = 0; i < count; ++i) {
    table.add_row({"mode </script> " + std::to_string(i), i * kPrime % kModes, 1 + i % 4});
  }
  return table;
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(TableHtml, ABlockHoldsValuesInOrderAndThePlaceOfEachRow) {
  Table table({{"time_ms"}, {"name"}});
  table.add_row({3.0, std::string("b")});
  table.add_row({1.0, std::string("a")});
  table.add_row({Cell(), std::string("b")});
  table.add_row({2.0, Cell()});
  table.add_row({1.0, std::string("a")});
  const Json block = table_block(table);
  EXPECT_EQ(block["rows"], 5);
  EXPECT_EQ(block["columns"][0]["texts"], Json({"1.000", "2.000", "3.000"}));
  EXPECT_EQ(block["columns"][0]["places"], Json({2, 0, -1, 1, 0}));
  EXPECT_EQ(block["columns"][1]["texts"], Json({"a", "b"}));
  EXPECT_EQ(block["columns"][1]["places"], Json({1, 0, 1, -1, 0}));
  EXPECT_TRUE(block["columns"][0]["numeric"]);
  EXPECT_FALSE(block["columns"][1]["numeric"]);
}

TEST(TableHtml, TheBlockEscapesNamesAsTheRowsDo) {
  Table table({{"name"}});
  table.add_row({std::string("a\xE2\x80\xAE")});  // U+202E reverses the text that follows
  EXPECT_EQ(table_block(table)["columns"][0]["texts"], Json({"a\\xe2\\x80\\xae"}));
}

TEST(TableHtml, ALongTableIsAPageOfRowsAndABlock) {
  const std::string whole = table_html(mode_table(kPageRows), "0");
  EXPECT_EQ(count_of(whole, "<tr data-row="), kPageRows);
  EXPECT_THAT(whole, Not(HasSubstr("<script")));
  const std::string cut = table_html(mode_table(kModes), "0");
  EXPECT_EQ(count_of(cut, "<tr data-row="), kPageRows);
  EXPECT_THAT(cut, HasSubstr("The first 400 of 18096 rows"));
  EXPECT_EQ(count_of(cut, "</script>"), 1u);  // no name ends the script
  const auto begin = cut.find('>', cut.find("<script")) + 1;
  const Json block = Json::parse(cut.substr(begin, cut.find("</script>") - begin));
  for (const auto& column : block["columns"]) EXPECT_EQ(column["places"].size(), kModes);
}

// A user sorts, filters, turns pages and selects. At any time, the document holds at most one page
// of rows.
constexpr const char* kLongTable = R"JS(
window.addEventListener("load", () => setTimeout(() => {
  const faults = [];
  const check = (holds, what) => { if (!holds) faults.push(what); };
  const table = document.querySelector('table[data-table="0"]');
  const rows = () => Array.from(table.tBodies[0].rows);
  const names = () => rows().map((row) => row.cells[0].textContent.replace("mode <\/script> ", ""));
  const said = () => document.querySelector(".pages [role=status]").textContent;
  const button = (text) => Array.from(document.querySelectorAll(".pages button")).find((b) => b.textContent === text);
  const look = (first, count, text) => {
    check(names()[0] === first, text + " begins with " + names()[0]);
    check(rows().length === count, text + " has rows " + rows().length);
  };
  look("0", 400, "begin");
  check(said() === "Rows 1 to 400 of 18,096", said());
  check(button("Previous").disabled && !button("Next").disabled, "buttons");
  check(document.querySelectorAll("*").length < 8000, "elements " + document.querySelectorAll("*").length);
  button("Next").click();
  look("400", 400, "next");
  button("Last").click();
  look("18000", 96, "last");
  check(button("Next").disabled, "end");
  const time = table.tHead.rows[0].cells[1];
  const times = () => rows().map((row) => Number(row.cells[1].textContent.replace(/,/g, "")));
  time.click();
  check(times().every((value, i) => value === i), "ascending " + times().slice(0, 3));
  time.click();
  check(times().every((value, i) => value === 18095 - i), "descending " + times().slice(0, 3));
  const field = document.querySelector(".pages input");
  const type = (text) => { field.value = text; field.dispatchEvent(new Event("input")); };
  type("MODE <\/script> 1809");
  check(rows().length === 7, "filtered " + names());
  check(times().every((value, i) => i === 0 || value < times()[i - 1]), "filtered and sorted");
  check(said() === "Rows 1 to 7 of 7 (of 18,096)", said());
  type("no such row");
  check(rows().length === 0 && said() === "No row (of 18,096)", said());
  type("");
  Ridgewatt.table.view(table).select(17000);
  const selected = () => Array.from(document.querySelectorAll("tr.selected"));
  check(selected().length === 1 && selected()[0].dataset.row === "17000", "selected " + selected().length);
  button("First").click();
  check(selected().length === 0 || selected()[0].dataset.row === "17000", "only that row");
  rows()[5].click();
  check(selected().length === 1 && selected()[0] === rows()[5], "clicked");
  document.querySelector('figure.chart[data-links="0"] svg [data-row="17000"]').dispatchEvent(new Event("click", { bubbles: true }));
  check(selected().length === 1 && selected()[0].dataset.row === "17000", "selected in the figure");
  const hint = document.querySelector(".pages .print");
  check(!hint.hidden, "what prints the other rows");
  button("All").click();
  check(rows().length === 18096 && hint.hidden, "all rows " + rows().length);
  check(selected().length === 1 && selected()[0].dataset.row === "17000", "selected among all");
  check(times().every((value, i) => value === 18095 - i), "all sorted");
  button("All").click();
  check(rows().length === 400 && !hint.hidden, "back");
  document.title = faults.length ? "FAULTS " + faults.join("; ") : "ALL WELL";
}, 300));
)JS";

Plot cloud_of(const Table& table) {
  Plot plot{.title = "cloud", .source = {"net", "board", Provenance::kModelled}};
  Series cloud{.name = "modes", .mark = Mark::kPoints};
  for (const auto& row : table.rows()) {
    cloud.x.push_back(cell_number(row[1]).value());
    cloud.y.push_back(cell_number(row[2]).value());
  }
  plot.series = {cloud};
  return plot;
}

std::string long_page(const std::vector<Plot>& others) {
  HtmlReport report("all modes");
  const Table table = mode_table(kModes);
  for (const auto& plot : others) report.figure(plot);
  const int linked = report.table("Modes", table);
  Series one{.name = "one mode", .mark = Mark::kPoints, .x = {1, 2}, .y = {1, 2}};
  one.rows = {0, 17'000};
  Plot links{.title = "links", .source = {"net", "board", Provenance::kModelled}};
  links.series = {one};
  report.figure(links, linked);
  return report.html();
}

// label: browser
TEST(TableHtml, AllModesAreSortedFilteredAndTurnedInChromium) {
  testing::expect_well_in_browser(long_page({}), kLongTable);
}

TEST(TableHtml, ThousandsOfPointsAreOneShape) {
  const std::string page = long_page({cloud_of(mode_table(kModes))});
  EXPECT_EQ(count_of(page, "<circle"), 4u);  // the linked points remain separate
  EXPECT_EQ(count_of(page, "<path fill=\"none\" stroke="), 2u);  // for a screen and for a phone
}

}  // namespace
}  // namespace ridgewatt::report
