// Tests pages in a real browser at the widths of a phone, a tablet and a screen, light and dark.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ridgewatt/report/html_report.h"
#include "ridgewatt/report/page/energy_figures.h"
#include "ridgewatt/report/page/result_json.h"
#include "ridgewatt/report/test_support.h"

namespace ridgewatt::report {
namespace {

using ::testing::HasSubstr;

// The page is loaded in frames of three widths, and each is checked in light and dark.
constexpr const char* kLayoutActions = R"(
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
const faults = [];
const shown = (element) => element.getClientRects().length > 0;
// Texts of one chart; a halo is several copies of one text, which count once.
function texts(svg, halo) {
  const boxes = [];
  svg.querySelectorAll("text").forEach((text) => {
    const box = text.getBoundingClientRect();
    if (!text.textContent.trim() || box.width === 0) return;
    const copy = halo && boxes.find((other) => other.name === text.textContent && Math.abs(other.left - box.left) < 4 && Math.abs(other.top - box.top) < 4);
    if (!copy) boxes.push({ name: text.textContent, left: box.left, right: box.right, top: box.top, bottom: box.bottom });
  });
  return boxes;
}
function inspect(frame, what) {
  const page = frame.contentDocument;
  const root = page.documentElement;
  const fault = (text) => faults.push(what + ": " + text);
  if (root.scrollWidth > root.clientWidth) fault("overflows to " + root.scrollWidth);
  const figures = Array.from(page.querySelectorAll("figure.chart"));
  const right = Math.max(...figures.map((figure) => figure.getBoundingClientRect().right));
  if (right < 0.93 * root.clientWidth) fault("figures end at " + right);
  figures.forEach((figure) => {
    const name = figure.querySelector("strong").textContent;
    const charts = Array.from(figure.querySelectorAll(".live svg, .still > svg")).filter(shown);
    if (charts.length !== 1) return fault(name + ": " + charts.length + " charts");
    const caption = figure.querySelector("figcaption");
    if (caption.scrollWidth > caption.clientWidth + 1) fault(name + ": title clipped");
    const area = charts[0].getBoundingClientRect();
    const boxes = texts(charts[0], charts[0].parentElement.className.includes("still"));
    if (boxes.filter((box) => /\d/.test(box.name)).length < 3) fault(name + ": axes without numbers");
    boxes.forEach((a, i) => {
      if (a.left < area.left - 1 || a.right > area.right + 1) fault(name + ": clipped: " + a.name);
      boxes.slice(0, i).forEach((b) => {
        if (a.left + 1 < b.right && b.left + 1 < a.right && a.top + 3 < b.bottom && b.top + 3 < a.bottom) fault(name + ": " + a.name + " covers " + b.name);
      });
    });
  });
  const ramp = page.querySelector(".ramp");
  if (ramp) {
    const ends = Array.from(ramp.querySelectorAll("b")).map((end) => end.textContent);
    if (ends[0] !== "0.200" || ends[1] !== "0.540") fault("legend " + ends);
  }
}
window.addEventListener("load", async () => {
  const frames = [400, 800, 1400].map((width) => {
    const frame = document.createElement("iframe");
    frame.style.cssText = "border:0;height:3000px;width:" + width + "px";
    frame.srcdoc = PAGE;
    document.body.appendChild(frame);
    return [frame, width];
  });
  await Promise.all(frames.map(([frame]) => new Promise((done) => { frame.onload = done; })));
  await wait(500);
  for (const [frame, width] of frames) {
    const root = frame.contentDocument.documentElement;
    root.classList.remove("dark");
    inspect(frame, width + " light");
    const paper = frame.contentWindow.getComputedStyle(frame.contentDocument.body).backgroundColor;
    frame.contentDocument.getElementById("theme").click();
    await wait(100);
    if (frame.contentWindow.getComputedStyle(frame.contentDocument.body).backgroundColor === paper) faults.push("not dark");
    inspect(frame, width + " dark");
  }
  document.title = faults.length ? "FAULTS " + faults.slice(0, 12).join("; ") : "ALL WELL";
});
)";

void expect_readable(const std::string& page) {
  std::string text;
  for (const char c : Json(page).dump()) {
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  }
  const std::string outer =
      "<!DOCTYPE html><html><head><title>t</title></head><body><script>const PAGE = " + text +
      ";</script></body></html>";
  testing::expect_well_in_browser(outer, kLayoutActions);
}

// The page that a build without ECharts would write.
std::string static_page(std::string page) {
  const auto options = page.find("<script type=\"application/json\"");
  if (options != std::string::npos) page.erase(options, page.rfind("<script>") - options);
  return page;
}

// A page with figures of every kind, with long names, close marks and narrow ranges.
std::string crowded_page() {
  const FigureSource source("a workload whose name is long enough to be wrapped, training",
                            "Jetson AGX Orin 64GB", Provenance::kModelled,
                            "pytorch-eager, scaled twin, not validated");
  HtmlReport page("A title that is longer than a telephone is wide, and goes on");
  Plot narrow{.title = "Energy over GPU clock, of which the title is long as well",
              .source = source,
              .x = {.label = "GPU clock (MHz)"},
              .y = {.label = "energy per sample (J)", .log = true}};
  narrow.series = {{.name = "batch 1", .mark = Mark::kLinePoints}};
  for (int i = 0; i < 12; ++i) {
    narrow.series[0].x.push_back(114.75 + 108 * i);
    narrow.series[0].y.push_back(0.2 + 0.0028 * (i - 6) * (i - 6));
  }
  narrow.remarks = {{.x = 762.75, .y = 0.2, .text = "0.2 J at 763 MHz"},
                    {.x = 770, .y = 0.2, .text = "a close neighbor"}};
  page.figure(narrow);
  HeatMap map{.title = "Energy",
              .source = source,
              .x_label = "GPU clock (MHz)",
              .y_label = "CPU clock (MHz)",
              .value_label = "energy (J)"};
  for (int i = 0; i < 13; ++i) map.x.push_back(114.75 + 98.8 * i);
  for (int i = 0; i < 29; ++i) {
    map.y.push_back(115.2 + 74.5 * i);
    auto& row = map.values.emplace_back();
    for (int c = 0; c < 13; ++c) row.push_back(0.2 + 0.34 * (c * c + (28 - i) * (28 - i)) / 928);
  }
  map.contours = {{0.25, "+25 %"}, {0.3, "+50 %"}};
  map.remarks = {{.x = map.x[0], .y = map.y[28], .text = "optimum, 0.2 J"},
                 {.x = map.x[3], .y = map.y[28], .text = "highest clocks"}};
  page.figure(map);
  StackedBars bars{.title = "Where the time goes",
                   .source = source,
                   .note = "16 of 49 settings shown, evenly spaced",
                   .value_label = "time (ms)"};
  ViolinPlot violins{.title = "Variation", .source = source, .value = {.label = "time (ms)"}};
  bars.parts = {"compute", "fetch stall"};
  bars.values.resize(2);
  for (int i = 0; i < 16; ++i) {
    bars.bars.push_back("GPU " + std::to_string(1000 + i) + ".75, CPU 2201.6");
    bars.values[0].push_back(10.0 + i);
    bars.values[1].push_back(5);
    violins.names.push_back(bars.bars.back());
    violins.values.push_back({10.0 + i, 11.0 + i, 15.0 + i, 12.0 + i});
  }
  page.figure(bars);
  page.figure(violins);
  Timeline timeline{.title = "Which program holds the device",
                    .source = source,
                    .time_label = "time (ms)",
                    .lanes = {"inference", "training", "mode change"}};
  for (int i = 0; i < 40; ++i) {
    timeline.spans.push_back({static_cast<std::size_t>(i % 2), 50.0 * i, 50.0 * i + 45,
                              i % 2 == 0 ? "inference" : "training", ""});
  }
  page.figure(timeline);
  return page.html();
}

// label: browser
TEST(PageLayout, InteractivePageIsReadableAtEveryWidth) {
  if (!has_interactive_charts()) GTEST_SKIP() << "skipped: built without ECharts (npm was absent)";
  expect_readable(crowded_page());
}

// label: browser
TEST(PageLayout, StaticPageIsReadableAtEveryWidth) {
  expect_readable(static_page(crowded_page()));
}

// A result in the format of `ridgewatt tune --format json`.
constexpr const char* kTuneJson = R"({"feasible":true,"workload":"zoo:resnet50 <i>",
  "device":"agx-orin","minimize":"time","provenance":"modelled","runtime":"pytorch-eager",
  "twin":"fitted","mode":{"cpu_cores":6,"cpu_mhz":2035.2,"gpu_mhz":624.75,"mem_mhz":2133},
  "batch":1,"time_ms":20.0,"time_lo_ms":16,"time_hi_ms":24,"power_w":20,"energy_j":0.4,
  "strategy":"exhaustive","profiled":[],"compared":[
  {"name":"MAXN","mode":{"cpu_cores":12,"cpu_mhz":2201.6,"gpu_mhz":1300.5,"mem_mhz":3199},
   "batch":1,"time_ms":16.0,"power_w":25,"energy_j":0.4,"feasible":false},
  {"name":"MODE_30W","mode":{"cpu_cores":8,"cpu_mhz":1728,"gpu_mhz":624.75,"mem_mhz":3199},
   "batch":1,"time_ms":20.1,"power_w":20.1,"energy_j":0.404,"feasible":true}]})";

// label: slow
TEST(ResultJson, TuneAnswersInWords) {
  HtmlReport report("r");
  add_json_result(report, "tune.json", Json::parse(kTuneJson));
  const std::string page = report.html();
  for (const char* part :
       {"Run at 6 cores, CPU 2035.2, GPU 624.75, memory 2133 MHz, batch 1.",
        "25 % more time, 20 % less power",  // 20 over 16 ms, 20 over 25 W
        "(MAXN does not meet the limits)",
        "zoo:resnet50 &lt;i&gt; on agx-orin. Modelled: pytorch-eager", "16.0 to 24.0 ms"}) {
    EXPECT_NE(page.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(page.find("<th tabindex=\"0\" scope=\"col\">key</th>"), std::string::npos);
  expect_readable(page);
}

TEST(ResultJson, EveryKindSaysItsAnswer) {
  const auto page_of_json = [](const std::string& text) {
    HtmlReport report("r");
    add_json_result(report, "file", Json::parse(text));
    return report.html();
  };
  const std::string mode = R"("mode":{"cpu_cores":4,"gpu_mhz":600},"batch":1)";
  const std::string slow = "{" + mode + R"(,"time_ms":20,"power_w":10,"energy_j":0.2})";
  const std::string fast = R"({"mode":{"gpu_mhz":900},"time_ms":10,"power_w":30,"energy_j":0.3})";
  const std::string estimate = page_of_json(
      R"({"model":"net","provenance":"modelled","ground":"modelled with the x twin; scaled, not )"
      R"(validated","estimates":[)" +
      slow + "," + fast + "]}");
  const std::string former = page_of_json(
      R"({"model":"net","provenance":"modelled with the x twin; scaled, not validated","estimates":[)" +
      slow + "," + fast + "]}");
  EXPECT_EQ(estimate, former);
  EXPECT_THAT(estimate, HasSubstr("Fastest of 2 points: GPU 900 MHz: 10.0 ms and 30.0 W"));
  EXPECT_THAT(estimate, HasSubstr("100 % more time, 67 % less power, 33 % less energy"));
  EXPECT_THAT(estimate, HasSubstr("scaled, not validated"));
  const std::string plan =
      page_of_json(R"({"feasible":true,"strategy":"exhaustive",)" + mode +
                   R"(,"training_minibatches_per_cycle":2,"training_throughput":8,"period_ms":250,)"
                   R"("inference_time_ms":50,"training_time_ms":75,"provenance":"replayed"})");
  EXPECT_THAT(plan, HasSubstr("50 of 250 ms are idle"));  // 250 - 50 - 2 x 75
  const std::string miss =
      page_of_json(R"({"feasible":false,"minimize":"time","compared":[],"nearest_miss":{)" + mode +
                   R"(,"time_ms":20,"power_w":10,"misses":"10 W over 5 W"}})");
  EXPECT_THAT(miss, HasSubstr("No answer: nothing meets the limits. Nearest: 4 cores"));
  EXPECT_THAT(page_of_json("[" + slow + "," + fast + "," + slow + "]"),
              HasSubstr("Time against power"));
  EXPECT_THAT(page_of_json(R"({"a":{"b":[1,2]},"c":null})"), HasSubstr("<b>c</b> -"));
}

TEST(ResultJson, WhatIsNotAsExpectedIsReportedAndNotTrusted) {
  for (const char* odd :
       {"{}", "[]", "5", R"({"estimates":5})", R"({"minimize":1,"compared":2})",
        R"({"estimates":[{"time_ms":"x","mode":7}]})", R"({"plan":1,"results":[{}]})",
        R"({"study":1,"findings":[1],"cells":[{"time_s":1}]})", R"({"modes":[{"time_balance":1}]})",
        R"({"feasible":1,"strategy":2,"nearest_miss":3})"}) {
    HtmlReport report("r");
    add_json_result(report, "file", Json::parse(odd));
    EXPECT_THAT(report.html(), HasSubstr("</html>")) << odd;
  }
}

}  // namespace
}  // namespace ridgewatt::report
