#include "ridgewatt/report/html_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ridgewatt/base/test_support.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/report/test_support.h"

namespace ridgewatt::report {
namespace {

constexpr const char kHostile[] = "</script><script>document.title='owned'</script><img src=x>";

std::string sample_page() {
  HtmlReport report(std::string("Report ") + kHostile);
  report.heading(kHostile);
  report.paragraph(kHostile);
  Table table({{"layer", kHostile}, {"time_ms", "time (ms)"}});
  const FigureSource source(kHostile, kHostile, Provenance::kMeasured);
  Plot plot{.title = kHostile,
            .source = source,
            .x = {.label = "x", .log = true},
            .y = {.label = kHostile}};
  Series points{.name = kHostile, .mark = Mark::kPoints};
  for (int i = 0; i < 5; ++i) {
    table.add_row({std::string(kHostile), 10.0 - i});
    points.x.push_back(i + 1);
    points.y.push_back(i * i);
    points.rows.push_back(i);
    points.labels.emplace_back(kHostile);
  }
  plot.series = {points};
  const int id = report.table(kHostile, table);
  report.figure(plot, id);
  HeatMap map{.title = "heat", .source = source, .x = {1, 2}, .y = {3, 4}};
  map.values = {{1, 2}, {3, 4}};
  report.figure(map);
  report.figure(StackedBars{
      .title = "bars", .source = source, .bars = {kHostile}, .parts = {"p"}, .values = {{1}}});
  report.figure(
      ViolinPlot{.title = "violin", .source = source, .names = {"a"}, .values = {{1, 2, 3}}});
  Timeline timeline{.title = "timeline", .source = source, .lanes = {"a"}};
  timeline.spans = {{0, 0, 1, "k", kHostile}};
  report.figure(timeline);
  return report.html();
}

TEST(HtmlReport, TextFromOutsideStaysText) {
  const std::string page = sample_page();
  EXPECT_EQ(page.find("<script>document.title"), std::string::npos);
  EXPECT_EQ(page.find("<img src=x>"), std::string::npos);
  EXPECT_EQ(page, sample_page());
  // The page must not fetch anything.
  for (const char* way : {"src=\"http", "href=\"http", "@import", "<link"}) {
    EXPECT_EQ(page.find(way), std::string::npos) << way;
  }
}

TEST(HtmlReport, EmbeddedChartCodeIsTheFileByteForByte) {
  const auto modules = testing::source_folder() / "web" / "node_modules";
  auto path = modules / "echarts-parts" / "echarts.min.js";
  if (!std::filesystem::exists(path)) path = modules / "echarts" / "dist" / "echarts.min.js";
  if (!has_interactive_charts() || !std::filesystem::exists(path)) {
    GTEST_SKIP() << "skipped: built without ECharts (npm was absent)";
  }
  const std::string code = read_file(path.string());
  EXPECT_GT(code.size(), 65536u);
  EXPECT_THAT(sample_page().find(code), ::testing::Ne(std::string::npos));
}

// Simulates a user: selects a row, sorts by a column, changes the theme. Faults go into the title.
constexpr const char* kActions = R"(
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
// Charts change on the next frame, which a headless browser may never draw: take it by hand.
const frame = (charts) => charts.forEach((c) => echarts.getInstanceByDom(c).getZr().animation.update());
window.addEventListener("load", async () => {
  await wait(300);
  const faults = [];
  const check = (holds, what) => { if (!holds) faults.push(what); };
  const live = document.getElementById("options") !== null;
  const charts = Array.from(document.querySelectorAll("figure.chart")).map((c) => c.querySelector(live ? ".live" : ".still.wide"));
  const drawn = () => charts.filter((c) => c.querySelector("svg path, svg circle, svg rect")).length;
  check(drawn() === charts.length, "charts " + drawn());
  const interactive = document.getElementById("options") !== null;
  check(!interactive || charts.every((c) => echarts.getInstanceByDom(c)), "echarts");
  document.querySelectorAll("tbody tr")[2].click();
  check(document.querySelectorAll("tr.selected").length === 1, "row");
  const red = () => charts[0].querySelectorAll('[stroke="#E00000"], .selected').length;
  if (interactive) frame(charts);
  check(red() === 1, "linked point " + red());
  const heading = document.querySelectorAll("th")[1];
  heading.click();
  const first = () => document.querySelector("tbody tr td.n").textContent;
  check(first().startsWith("6"), "ascending " + first());
  heading.click();
  check(first().startsWith("10"), "descending " + first());
  document.getElementById("theme").click();
  await wait(300);
  check(document.documentElement.classList.contains("dark"), "theme");
  check(drawn() === charts.length, "charts after theme");
  document.title = faults.length ? "FAULTS " + faults.join("; ") : "ALL WELL";
});
)";

// label: browser
TEST(HtmlReport, WorksInChromiumWithoutErrors) {
  testing::expect_well_in_browser(sample_page(), kActions);
}

// label: browser
TEST(HtmlReport, StaticFallbackWorksInChromium) {
  // The page that a build without ECharts writes: without options and chart code.
  std::string page = sample_page();
  const auto options = page.find("<script type=\"application/json\"");
  if (options != std::string::npos) page.erase(options, page.rfind("<script>") - options);
  testing::expect_well_in_browser(page, kActions);
}

}  // namespace
}  // namespace ridgewatt::report
