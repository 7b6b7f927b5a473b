// Figures as data: what is to be seen, in plain numbers, apart from how it is drawn. Each can be
// drawn as a static SVG for papers (to_svg) and as an interactive Apache ECharts chart
// (to_echarts).
//
//   Plot plot{.title = "Energy over GPU clock", .x = {"GPU clock (MHz)"}, .y = {"energy (J)"}};
//   plot.series.push_back({.name = "ResNet-50", .x = clocks, .y = energies});
//   write_file_atomically("energy.svg", to_svg(plot));
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ridgewatt/base/json.h"

namespace ridgewatt {

struct Axis {
  std::string label = {};  // with the unit: "time (ms)"
  bool log = false;
  std::optional<double> lo = {};  // default: from the data, with some room
  std::optional<double> hi = {};
};

enum class Mark { kLine, kPoints, kLinePoints, kBand, kSteps };

// Points with a value that the axis cannot show (not finite; not positive on a log axis) are left
// out, and break a line.
struct Series {
  std::string name = {};  // legend; empty: none
  Mark mark = Mark::kLine;
  std::vector<double> x = {};
  std::vector<double> y = {};
  std::vector<double> y_hi = {};         // upper edge of a band
  std::vector<double> radius = {};       // of points, in pixels; empty: 3.5
  std::vector<int> rows = {};            // row of the linked table that a point stands for
  std::vector<std::string> labels = {};  // of points, shown on hover
  std::string color = {};                // empty: by position in the figure
  bool dashed = false;
};

// A remark in the plot: a point with a text, or a line across when only x or y is given.
struct Remark {
  std::optional<double> x = {};
  std::optional<double> y = {};
  std::string text = {};
};

// Lines, points, bands and steps over two axes.
struct Plot {
  std::string title = {};
  Axis x = {};
  Axis y = {};
  std::vector<Series> series = {};
  std::vector<Remark> remarks = {};
  double width = 640;
  double height = 420;
};

// A value for each pair of levels; values[row][column] belongs to y[row], x[column]. NaN: no value.
struct HeatMap {
  std::string title = {};
  std::string x_label = {};
  std::string y_label = {};
  std::string value_label = {};  // with the unit
  std::vector<double> x = {};    // ascending levels
  std::vector<double> y = {};
  std::vector<std::vector<double>> values = {};
  std::optional<double> color_hi = {};  // colours end here; higher values look the same
  std::vector<Remark> remarks = {};     // x and y in levels: "optimum", "MAXN"
  std::vector<double> contours = {};    // lines of equal value
  double width = 640;
  double height = 420;
};

// Bars whose parts add up: values[part][bar].
struct StackedBars {
  std::string title = {};
  std::string value_label = {};
  std::vector<std::string> bars = {};
  std::vector<std::string> parts = {};
  std::vector<std::vector<double>> values = {};
  double width = 640;
  double height = 420;
};

// Distributions side by side, with median and quartiles.
struct ViolinPlot {
  std::string title = {};
  Axis y = {};
  std::vector<std::string> names = {};
  std::vector<std::vector<double>> values = {};
  double width = 640;
  double height = 420;
};

// What ran where and when.
struct Timeline {
  struct Span {
    std::size_t lane = 0;
    double begin = 0;
    double end = 0;
    std::string kind = {};  // one colour a kind
    std::string label = {};
  };
  std::string title = {};
  std::string time_label = {};  // "time (ms)"
  std::vector<std::string> lanes = {};
  std::vector<Span> spans = {};
  double width = 720;
  double height = 260;
};

using Figure = std::variant<Plot, HeatMap, StackedBars, ViolinPlot, Timeline>;

const std::string& figure_title(const Figure& figure);
// A whole SVG document; the same figure gives the same bytes. UsageError when vectors that belong
// together differ in length.
std::string to_svg(const Figure& figure);
// Several figures below each other in one document.
std::string to_svg(const std::vector<Figure>& figures, const std::string& title);
// The option object of an ECharts chart. Points keep their table row as the data item's "row".
Json to_echarts(const Figure& figure);

// Gaussian kernel density of a sample (Silverman 1986, equation 3.31) at `at`; for violins.
std::vector<double> kernel_density(const std::vector<double>& sample,
                                   const std::vector<double>& at);

}  // namespace ridgewatt
