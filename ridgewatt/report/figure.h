// Figures as plain data, independent of how they are drawn. A figure can be drawn as a static SVG
// for papers (to_svg), as an interactive Apache ECharts chart (to_echarts), and listed as a table
// (figure_data.h).
//
//   Plot plot{.title = "Energy over GPU clock",
//             .source = {"resnet50", "agx-orin", Provenance::kMeasured}};
//   plot.x.label = "GPU clock (MHz)", plot.y.label = "energy (J)";
//   plot.series.push_back({.name = "ResNet-50", .x = clocks, .y = energies});
//   write_file_atomically("energy.svg", to_svg(plot));
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ridgewatt/io/json.h"
#include "ridgewatt/sweep/provenance.h"

namespace ridgewatt::report {

// The origin of the numbers in a figure. There is no default constructor, so that every figure
// states its origin.
struct FigureSource {
  std::string workload;                  // "resnet50 inference"; empty: several workloads
  std::string board;                     // empty: shown as "board not recorded"
  std::optional<Provenance> provenance;  // absent: shown as "provenance not recorded"
  // For modeled numbers, the runtime and the type of twin with its error: "pytorch-eager, fitted
  // twin, time 11 % off on unseen workloads".
  std::string detail;

  FigureSource(std::string of_workload, std::string on_board, std::optional<Provenance> origin,
               std::string more = {});
  // A line such as "resnet50 inference on agx-orin. Modelled: pytorch-eager, fitted twin, ..."
  std::string line() const;
};

struct Axis {
  std::string label = {};  // with its unit: "time (ms)"
  bool log = false;
  std::optional<double> lo = {};  // empty: from the data, with a margin
  std::optional<double> hi = {};
};

enum class Mark { kLine, kPoints, kLinePoints, kBand, kSteps };

// Points that the axis cannot show (not finite; not positive on a log axis) are omitted and
// interrupt a line.
struct Series {
  std::string name = {};  // legend; empty: none
  Mark mark = Mark::kLine;
  std::vector<double> x = {};
  std::vector<double> y = {};
  std::vector<double> y_hi = {};         // upper edge of a band
  std::vector<double> radius = {};       // of points, in pixels; empty: 3.5
  std::vector<int> rows = {};            // per point, its row in the linked table
  std::vector<std::string> labels = {};  // per point, shown on hover
  std::string color = {};                // empty: chosen by the position in the figure
  bool dashed = false;
};

// A remark in the plot: a text at a point, or a line across the plot if only x or y is given.
struct Remark {
  std::optional<double> x = {};
  std::optional<double> y = {};
  std::string text = {};
};

// Lines, points, bands and steps over two axes.
struct Plot {
  std::string title = {};
  FigureSource source;
  std::string note = {};  // what is omitted: "2,000 of 18,096 modes drawn"
  Axis x = {};
  Axis y = {};
  std::vector<Series> series = {};
  std::vector<Remark> remarks = {};
  double width = 640;
  double height = 420;
};

// A line of equal value, with its label: "+5 %".
struct Contour {
  double value = 0;
  std::string text = {};
};

// A value for each pair of levels: values[row][column] is at y[row] and x[column]. NaN: no
// value.
struct HeatMap {
  std::string title = {};
  FigureSource source;
  std::string note = {};
  std::string x_label = {};
  std::string y_label = {};
  std::string value_label = {};  // with its unit
  std::vector<double> x = {};    // ascending levels
  std::vector<double> y = {};
  std::vector<std::vector<double>> values = {};
  std::optional<double> color_hi = {};  // end of the color scale; higher values have the same color
  std::vector<Remark> remarks = {};     // x and y are levels: "optimum", "MAXN"
  std::vector<Contour> contours = {};
  double width = 640;
  double height = 420;
};

// Horizontal bars whose parts add up: values[part][bar]. Each bar has its name on the left.
struct StackedBars {
  std::string title = {};
  FigureSource source;
  std::string note = {};
  std::string value_label = {};
  std::vector<std::string> bars = {};
  std::vector<std::string> parts = {};
  std::vector<std::vector<double>> values = {};
  double width = 640;
};

// Distributions below each other, with their median and quartiles.
struct ViolinPlot {
  std::string title = {};
  FigureSource source;
  std::string note = {};
  Axis value = {};
  std::vector<std::string> names = {};
  std::vector<std::vector<double>> values = {};
  double width = 640;
};

// Spans of time in parallel lanes.
struct Timeline {
  struct Span {
    std::size_t lane = 0;
    double begin = 0;
    double end = 0;
    std::string kind = {};  // one color per kind
    std::string label = {};
  };
  std::string title = {};
  FigureSource source;
  std::string note = {};
  std::string time_label = {};  // "time (ms)"
  std::vector<std::string> lanes = {};
  std::vector<Span> spans = {};
  double width = 720;
};

using Figure = std::variant<Plot, HeatMap, StackedBars, ViolinPlot, Timeline>;

struct FigureHead {
  std::string title;
  std::string source;  // result of FigureSource::line()
  std::string note;
};
FigureHead figure_head(const Figure& figure);

// An entry of a legend. HTML pages draw the legend themselves, so that it wraps at any width.
struct LegendEntry {
  std::string name = {};
  std::string color = {};
  Mark mark = Mark::kLine;
  bool dashed = false;
};
std::vector<LegendEntry> figure_legend(const Figure& figure);

// The range of values that the colors of a heat map represent: the range of the data, up to
// `color_hi`.
struct ColorRange {
  double lo = 0;
  double hi = 0;
  bool clipped = false;  // there are higher values, with the color of `hi`
};
// Empty if there is no finite value.
std::optional<ColorRange> color_range(const HeatMap& map);

struct SvgOptions {
  double width = 0;  // width of the document; 0: that of the figure
  bool head = true;  // draw title, source, note and legend; false if a page has them as HTML
};
// A complete SVG document. It depends only on the figure. Throws UsageError if vectors that belong
// together differ in length.
std::string to_svg(const Figure& figure, const SvgOptions& options = {});
// Several figures below each other in one document.
std::string to_svg(const std::vector<Figure>& figures, const std::string& title);
// The option object of an ECharts chart without title and legend. The `row` of a data item is the
// table row of its point. Fields that only charts.js reads contain what ECharts cannot take as data
// (custom ticks, polygons).
Json to_echarts(const Figure& figure);
// Height of the chart in a page, in pixels.
double chart_height(const Figure& figure);

// Gaussian kernel density of a sample (Silverman 1986, equation 3.31) at each value of `at`; for
// violins.
std::vector<double> kernel_density(const std::vector<double>& sample,
                                   const std::vector<double>& at);

}  // namespace ridgewatt::report
