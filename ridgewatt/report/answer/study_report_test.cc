#include "ridgewatt/report/study_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ridgewatt/base/random.h"
#include "ridgewatt/report/test_support.h"

namespace ridgewatt::report {
namespace {

using ::testing::HasSubstr;

StudyReport sample_study_report() {
  StudyReport report;
  report.study = study::parse_study(
      "name = \"s\"\ntitle = \"Clocks <b>\"\ncommand = \"true\"\nrepeats = 6\n"
      "[[factor]]\nname = \"gpu_mhz\"\nlevels = [300, 600, 900]\n"
      "[[factor]]\nname = \"cpu_mhz\"\nlevels = [1000, 2000]\n",
      "s.toml");
  Random random(1);
  for (const auto& run : study::plan_study(report.study, 1)) {
    const double gpu = std::stod(run.cell[0]);
    const double cpu = std::stod(run.cell[1]);
    const double noise = std::exp(0.02 * random.normal());
    const double compute_s = 30 / gpu * noise;
    const double stall_s = 10 / cpu;
    // Energy has its minimum at 600 MHz.
    const double power_w = 5 + 20 * std::pow(gpu / 900, 3);
    report.results.push_back({run.cell,
                              run.block,
                              {{"minibatch_s", compute_s + stall_s},
                               {"compute_s", compute_s},
                               {"stall_s", stall_s},
                               {"minibatch_energy_j", power_w * (compute_s + stall_s)}}});
  }
  report.analysis = study::analyze_study(report.study, report.results, false);
  report.provenance = Provenance::kMeasured;
  report.where = "test";
  return report;
}

TEST(StudyReport, AllFiguresOfThePapersAreThere) {
  const StudyReport report = sample_study_report();
  const auto figures = study_figures(report);
  ASSERT_EQ(figures.size(), 4u);
  const auto& bars = std::get<StackedBars>(figures[0]);
  EXPECT_EQ(bars.parts, (std::vector<std::string>{"compute", "fetch stall"}));
  EXPECT_EQ(bars.bars.size(), 6u);
  EXPECT_NEAR(bars.values[1][0], 10, 1e-9);  // 10 ms of stall at the slow CPU clock
  EXPECT_EQ(std::get<ViolinPlot>(figures[1]).names.size(), 6u);
  const auto& front = std::get<Plot>(figures[2]);
  EXPECT_EQ(front.series[0].x.size(), 6u);
  // No point of the front is better than another in both values.
  for (std::size_t i = 1; i < front.series[1].x.size(); ++i) {
    EXPECT_GT(front.series[1].x[i], front.series[1].x[i - 1]);
    EXPECT_LT(front.series[1].y[i], front.series[1].y[i - 1]);
  }
  const auto& surface = std::get<HeatMap>(figures[3]);
  EXPECT_EQ(surface.x, (std::vector<double>{300, 600, 900}));
  EXPECT_EQ(surface.remarks.at(0).x, 600);
}

TEST(StudyReport, FiguresOfBatchesArePerSampleInEveryHeading) {
  StudyReport report;
  report.study = study::parse_study(
      "name = \"s\"\ncommand = \"true\"\nrepeats = 3\n"
      "[[factor]]\nname = \"batch\"\nlevels = [1, 4]\n",
      "s.toml");
  for (const auto& run : study::plan_study(report.study, 1)) {
    report.results.push_back({run.cell,
                              run.block,
                              {{"minibatch_s", 4},
                               {"compute_s", 3},
                               {"stall_s", 1},
                               {"minibatch_energy_j", 8},
                               {"energy_j", 80}}});
  }
  study::use_samples(report.study, report.results);
  report.analysis = study::analyze_study(report.study, report.results, false);
  std::vector<std::string> headings;
  const Table cells = cell_table(report);
  for (const auto& column : cells.columns()) headings.push_back(column_heading(column));
  EXPECT_THAT(headings, ::testing::IsSupersetOf({"sample energy (J)", "energy (J)"}));
  const std::string json = study_result(report).json.dump();
  EXPECT_THAT(json, HasSubstr("\"sample_energy_j\":2.0"));
  EXPECT_THAT(json, ::testing::Not(HasSubstr("minibatch")));
  const auto figures = study_figures(report);
  ASSERT_GE(figures.size(), 3u);
  EXPECT_EQ(std::get<StackedBars>(figures[0]).value_label, "time per sample (ms)");
  EXPECT_EQ(std::get<Plot>(figures[2]).y.label, "energy per sample (J)");
}

// Checks that the page draws every chart and shows the tables.
constexpr const char* kStudyActions = R"(
window.addEventListener("load", () => setTimeout(() => {
  const faults = [];
  const check = (holds, what) => { if (!holds) faults.push(what); };
  const charts = Array.from(document.querySelectorAll("figure.chart"));
  check(charts.length === 4, "figures " + charts.length);
  check(charts.every((c) => c.querySelector("figcaption").textContent.includes("Measured")), "provenance");
  check(charts.every((c) => c.querySelectorAll("svg *").length > 20), "drawn");
  check(document.querySelectorAll("table[data-table]").length === 3, "tables");
  check(document.querySelector("h1").textContent === "Clocks <b>", "title");
  document.title = faults.length ? "FAULTS " + faults.join("; ") : "ALL WELL";
}, 300));
)";

// label: browser
TEST(StudyReport, PageWorksInChromiumWithoutErrors) {
  std::string page = study_html(sample_study_report());
  EXPECT_THAT(page, HasSubstr("raising gpu_mhz from 300 to 600 cuts time per minibatch by"));
  testing::expect_well_in_browser(page, kStudyActions);
}

}  // namespace
}  // namespace ridgewatt::report
