#include "ridgewatt/report/figure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numbers>
#include <type_traits>

#include "ridgewatt/base/error.h"
#include "ridgewatt/report/chart/axis.h"
#include "ridgewatt/report/chart/figure_data.h"
#include "ridgewatt/report/svg.h"

namespace ridgewatt::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const FigureSource kTestSource("net", "board", Provenance::kMeasured);

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

// Every element that is opened is also closed.
void expect_well_formed(const std::string& svg) {
  EXPECT_EQ(count(svg, "<svg"), count(svg, "</svg>"));
  EXPECT_EQ(count(svg, "<text"), count(svg, "</text>"));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
}

TEST(Axis, MapsEndsAndTicksAreRound) {
  const Scale linear(0, 10, false, 100, 200);
  EXPECT_DOUBLE_EQ(linear.pixel(0), 100);
  EXPECT_DOUBLE_EQ(linear.pixel(2.5), 125);
  const Scale log(1, 1000, true, 0, 300);
  EXPECT_NEAR(log.pixel(10), 100, 1e-9);
  EXPECT_FALSE(log.accepts(0));
  EXPECT_FALSE(log.accepts(NAN));
  std::vector<double> labeled;
  for (const auto& tick : log.ticks()) {
    if (!tick.label.empty()) labeled.push_back(tick.value);
  }
  EXPECT_EQ(labeled, (std::vector<double>{1, 10, 100, 1000}));
  EXPECT_EQ(linear.ticks(5).size(), 6u);                                // 0, 2, .. 10
  EXPECT_EQ(Scale(-0.3, 0.31, false, 0, 1).ticks(6).at(1).label, "0");  // -0.2, 0, 0.2
  // Any range has between two and a few dozen ticks.
  for (const double lo : {-1e9, -1.0, 0.0, 1e-12, 3.0, 1e15}) {
    for (const double span : {1e-3, 1.0, 7.0, 1e6}) {
      const Scale scale(lo, lo + span * std::max(1.0, std::abs(lo)), false, 0, 500);
      const auto ticks = scale.ticks();
      EXPECT_GE(ticks.size(), 2u);
      EXPECT_LE(ticks.size(), 20u);
    }
  }
}

TEST(Axis, RangesHoldTheDataAndSurviveNone) {
  const Range range = padded_range(std::vector<double>{5, NAN, 10}, false);
  EXPECT_LT(range.lo, 5);
  EXPECT_GT(range.hi, 10);
  EXPECT_EQ(padded_range(std::vector<double>{0, 10}, false).lo, 0);
  const Range one = padded_range(std::vector<double>{7}, true);
  EXPECT_LT(one.lo, 7);
  EXPECT_GT(one.hi, 7);
  EXPECT_LT(padded_range({}, true).lo, padded_range({}, true).hi);
}

TEST(Colors, RampLightnessRisesAndPaletteDiffers) {
  double previous = -1;
  for (int i = 0; i <= 100; ++i) {
    const auto [r, g, b] = ramp_rgb(i / 100.0);
    const double luminance = 0.2126 * r + 0.7152 * g + 0.0722 * b;  // ITU-R BT.709
    EXPECT_GT(luminance, previous) << i;
    previous = luminance;
  }
  for (std::size_t i = 0; i < 8; ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(palette_color(i), palette_color(j));
  }
}

TEST(KernelDensity, IntegratesToOneAndPeaksAtTheMode) {
  std::vector<double> sample;
  for (int i = -50; i <= 50; ++i) sample.push_back(i * std::abs(i) / 500.0);
  std::vector<double> at;
  const double step = 0.02;
  for (int i = -1000; i <= 1000; ++i) at.push_back(i * step);
  const auto density = kernel_density(sample, at);
  double integral = 0;
  for (const double value : density) integral += value * step;
  EXPECT_NEAR(integral, 1, 1e-3);
  EXPECT_NEAR(at[static_cast<std::size_t>(std::max_element(density.begin(), density.end()) -
                                          density.begin())],
              0, 0.05);
}

Plot sample_plot() {
  Plot plot{.title = "<b>title & \"quotes\"</b>",
            .source = kTestSource,
            .x = {.label = "x", .log = true}};
  plot.y.label = "y";
  Series line{.name = "a<script>", .x = {1, 10, 100, 1000}, .y = {1, NAN, 3, 4}};
  Series points{.name = "p", .mark = Mark::kPoints, .x = {1, -1, 100}, .y = {1, 2, 3}};
  points.rows = {4, 5, 6};
  points.labels = {"</title><script>", "b", "c"};
  plot.series = {line, points};
  plot.remarks = {
      {.x = 10, .text = "v"}, {.y = 2, .text = "h"}, {.x = 100, .y = 3, .text = "both"}};
  return plot;
}

TEST(Svg, PlotLeavesOutWhatAnAxisCannotShowAndEscapes) {
  const std::string svg = to_svg(sample_plot());
  expect_well_formed(svg);
  EXPECT_THAT(svg, Not(HasSubstr("<script>")));
  EXPECT_THAT(svg, Not(HasSubstr("<b>")));
  // NaN splits the line: one part of two points remains (a single point draws no line).
  EXPECT_EQ(count(svg, "<polyline"), 1u);
  EXPECT_THAT(svg, HasSubstr("data-row=\"4\""));
  EXPECT_THAT(svg, Not(HasSubstr("data-row=\"5\"")));  // x = -1 on a logarithmic axis
  EXPECT_EQ(svg, to_svg(sample_plot()));
}

TEST(Svg, ALineGoesThroughItsPoints) {
  Plot plot{.title = "t", .source = kTestSource};
  plot.x = {.label = "x", .lo = 0.0, .hi = 10.0};
  plot.y = {.label = "y", .lo = 0.0, .hi = 1.0};
  plot.series = {{.x = {0, 10}, .y = {0, 1}}};
  // The line goes from the lower left to the upper right corner of the frame that clips it.
  const std::string svg = to_svg(plot);
  std::vector<double> clip;  // x, y, width, height
  std::size_t quote = svg.find("<svg x=");
  for (int i = 0; i < 4 && quote != std::string::npos; ++i) {
    quote = svg.find('"', quote) + 1;
    clip.push_back(std::stod(svg.substr(quote)));
    quote = svg.find('"', quote) + 1;
  }
  ASSERT_EQ(clip.size(), 4u);
  const auto at = svg.find("points=\"");
  ASSERT_NE(at, std::string::npos);
  double x1 = 0, y1 = 0, x2 = 0, y2 = 0;
  ASSERT_EQ(std::sscanf(svg.c_str() + at, "points=\"%lf,%lf %lf,%lf", &x1, &y1, &x2, &y2), 4);
  EXPECT_NEAR(x1, clip[0], 0.011);  // written with two decimals
  EXPECT_NEAR(y1, clip[1] + clip[3], 0.011);
  EXPECT_NEAR(x2, clip[0] + clip[2], 0.011);
  EXPECT_NEAR(y2, clip[1], 0.011);
}

TEST(Svg, HeatMapMarksTheCellAndDrawsContours) {
  HeatMap map{.title = "h", .source = kTestSource, .x = {1, 2, 3}, .y = {10, 20}};
  map.values = {{1, 2, 3}, {1, NAN, 3}};
  map.remarks = {{.x = 3, .y = 20, .text = "best"}};
  const std::string plain = to_svg(map);
  expect_well_formed(plain);
  EXPECT_EQ(count(plain, "<rect"), 5u + 64u);  // five cells with a value, and the color bar
  EXPECT_THAT(plain, HasSubstr("best"));
  map.values[1][1] = 2;
  map.contours = {{1.5, "+50 %"}};
  // A single straight contour between columns 1 and 2, along one cell, in both kinds of figure.
  const Json chart = to_echarts(map);
  EXPECT_EQ(chart["series"][1]["data"].size(), 1u);
  EXPECT_DOUBLE_EQ(chart["series"][1]["data"][0]["coords"][0][0],
                   1.0);  // in the middle of two cells
  EXPECT_EQ(count(to_svg(map), "<line"), 1u);
}

TEST(Svg, OtherChartsAndEmptyOnes) {
  StackedBars bars{
      .title = "b", .source = kTestSource, .bars = {"one", "two"}, .parts = {"p", "q"}};
  bars.values = {{1, 2}, {3, 4}};
  expect_well_formed(to_svg(bars));
  EXPECT_EQ(count(to_svg(bars), "<rect"), 4u + 2u);  // four parts of bars, two keys of the legend
  ViolinPlot violins{
      .title = "v", .source = kTestSource, .names = {"a", "b"}, .values = {{1, 2, 3, 4}, {}}};
  expect_well_formed(to_svg(violins));
  EXPECT_EQ(count(to_svg(violins), "<polygon"), 1u);
  expect_well_formed(to_svg(
      ViolinPlot{.title = "constant", .source = kTestSource, .names = {"a"}, .values = {{2, 2}}}));
  Timeline timeline{.title = "t", .source = kTestSource, .lanes = {"train"}};
  timeline.spans = {{0, 0, 5, "step", "first"}, {0, 5, 6, "wait", ""}};
  expect_well_formed(to_svg(timeline));
  for (const Figure& figure :
       {Figure(Plot{.source = kTestSource}), Figure(HeatMap{.source = kTestSource}),
        Figure(StackedBars{.source = kTestSource}), Figure(ViolinPlot{.source = kTestSource}),
        Figure(Timeline{.source = kTestSource})}) {
    expect_well_formed(to_svg(figure));
    EXPECT_TRUE(to_echarts(figure).is_object());
  }
}

TEST(Figure, SaysWhoseNumbersItShows) {
  const FigureSource twin("resnet50", "agx-orin", Provenance::kModelled,
                          "pytorch-eager, fitted twin");
  EXPECT_EQ(twin.line(), "resnet50 on agx-orin. Modelled: pytorch-eager, fitted twin");
  EXPECT_EQ(FigureSource("", "", {}).line(), "Board not recorded. Provenance not recorded");
  const Plot plot{.title = "t", .source = twin, .note = "16 of 49 settings drawn"};
  const std::string svg = to_svg(plot);
  for (const char* part : {"agx-orin", "pytorch-eager", "16 of 49 settings drawn"}) {
    EXPECT_THAT(svg, HasSubstr(part));
  }
  static_assert(!std::is_default_constructible_v<Plot>);  // no figure without a source
  static_assert(!std::is_default_constructible_v<HeatMap>);
}

TEST(Axis, NarrowLogarithmicAxesHaveNumbers) {
  // 0.2 to 0.54 J, and less than half a decade elsewhere: an axis must never be without numbers.
  for (const double lo : {0.2, 1.1, 210.0, 3.3e4}) {
    for (const double ratio : {1.05, 1.5, 2.7, 8.0, 30.0, 1e4, 1e9}) {
      const auto ticks = Scale(lo, lo * ratio, true, 0, 400).apart(6, 11, false);
      const auto labels = std::count_if(ticks.begin(), ticks.end(),
                                        [](const auto& tick) { return !tick.label.empty(); });
      EXPECT_GE(labels, 2) << lo << " x " << ratio;
      for (const auto& tick : ticks) {
        EXPECT_GE(tick.value, lo * 0.999);
        EXPECT_LE(tick.value, lo * ratio * 1.001);
      }
    }
  }
}

TEST(Axis, LabelsDoNotTouch) {
  for (const double width : {120.0, 300.0, 900.0}) {
    const Scale scale(0, 2201600, false, 0, width);
    double end = -1e9;
    for (const auto& tick : scale.apart(12, 11, false)) {
      if (tick.label.empty()) continue;
      const double half = text_width(tick.label, 11) / 2;
      EXPECT_GT(scale.pixel(tick.value) - half, end) << width;
      end = scale.pixel(tick.value) + half;
    }
  }
}

TEST(HeatMap, ColorsHaveTheRangeOfTheData) {
  HeatMap map{.title = "h", .source = kTestSource, .x = {1, 2}, .y = {1}, .values = {{0.2, 0.54}}};
  EXPECT_DOUBLE_EQ(color_range(map)->lo, 0.2);
  EXPECT_DOUBLE_EQ(color_range(map)->hi, 0.54);
  const Json chart = to_echarts(map);
  EXPECT_EQ(chart["visualMap"]["min"], 0.2);
  EXPECT_EQ(chart["visualMap"]["max"], 0.54);
  EXPECT_FALSE(color_range(map)->clipped);
  map.color_hi = 0.4;
  EXPECT_DOUBLE_EQ(color_range(map)->hi, 0.4);
  EXPECT_TRUE(color_range(map)->clipped);
  map.values = {{NAN, NAN}};
  EXPECT_FALSE(color_range(map));
}

TEST(Figure, DataAreATableThatSaysWhatItLeavesOut) {
  Plot plot{.title = "t", .source = kTestSource};
  plot.series = {{.name = "s"}};
  for (int i = 0; i < 1000; ++i) {
    plot.series[0].x.push_back(i);
    plot.series[0].y.push_back(2 * i);
  }
  const FigureData data = figure_data(plot);
  EXPECT_THAT(data.caption,
              HasSubstr(std::to_string(data.table.rows().size()) + " of 1000 points"));
  EXPECT_EQ(std::get<double>(data.table.rows().front()[1]), 0);
  EXPECT_EQ(std::get<double>(data.table.rows().back()[2]), 1998);  // both ends are listed
}

TEST(Figure, LengthsMustAgree) {
  Plot plot{.title = "t", .source = kTestSource};
  plot.series = {{.x = {1, 2}, .y = {1}}};
  EXPECT_THROW(to_svg(plot), UsageError);
  EXPECT_THROW(to_svg(HeatMap{.title = "h", .source = kTestSource, .x = {1}, .y = {1}}),
               UsageError);
  EXPECT_THROW(to_svg(StackedBars{.source = kTestSource, .parts = {"p"}}), UsageError);
  EXPECT_THROW(to_svg(ViolinPlot{.source = kTestSource, .names = {"a"}}), UsageError);
  EXPECT_THROW(to_svg(Timeline{.source = kTestSource, .spans = {{3, 0, 1, "", ""}}}), UsageError);
}

TEST(Echarts, KeepsRowsAndUsesNoHtml) {
  const Json option = to_echarts(sample_plot());
  EXPECT_EQ(option["xAxis"]["type"], "log");
  EXPECT_EQ(option["tooltip"]["renderMode"], "richText");
  EXPECT_EQ(option["series"][1]["data"][0]["row"], 4);
  EXPECT_TRUE(option["series"][0]["data"][1]["value"][1].is_null());  // NaN
}

// U+202E reverses the text that follows. The static figure shows it as \xe2\x80\xae.
TEST(Echarts, EscapesNamesAsTheStaticFigureDoes) {
  Plot plot = sample_plot();
  plot.series[0].name = "net\xE2\x80\xAE";
  EXPECT_THAT(to_svg(plot), HasSubstr("net\\xe2\\x80\\xae"));
  EXPECT_EQ(to_echarts(plot)["series"][0]["name"], "net\\xe2\\x80\\xae");
}

}  // namespace
}  // namespace ridgewatt::report
