// Figures as data: what is to be seen, in plain numbers, apart from how it is drawn. Each can be
// drawn as a static SVG for papers (to_svg) and as an interactive Apache ECharts chart
// (to_echarts), and listed as a table (figure_data.h).
//
//   Plot plot{.title = "Energy over GPU clock", .source = {"resnet50", "agx-orin",
//   Provenance::kMeasured}}; plot.x.label = "GPU clock (MHz)", plot.y.label = "energy (J)";
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

// Whose numbers a figure shows and where they come from. Has no default, so that no figure is
// without it.
struct FigureSource {
  std::string workload;                  // "resnet50 inference"; empty: not of one workload
  std::string board;                     // empty: shown as "board not recorded"
  std::optional<Provenance> provenance;  // absent: shown as "provenance not recorded"
  // Of modelled numbers the runtime and the twin's kind with its error: "pytorch-eager, fitted
  // twin, time 11 % off on unseen workloads".
  std::string detail;

  FigureSource(std::string of_workload, std::string on_board, std::optional<Provenance> origin,
               std::string more = {});
  // "resnet50 inference on agx-orin. Modelled: pytorch-eager, fitted twin, ..."
  std::string line() const;
};

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
  FigureSource source;
  std::string note = {};  // what is not drawn: "2,000 of 18,096 modes drawn"
  Axis x = {};
  Axis y = {};
  std::vector<Series> series = {};
  std::vector<Remark> remarks = {};
  double width = 640;
  double height = 420;
};

// A line of equal value, with the text that it carries: "+5 %".
struct Contour {
  double value = 0;
  std::string text = {};
};

// A value for each pair of levels; values[row][column] belongs to y[row], x[column]. NaN: no value.
struct HeatMap {
  std::string title = {};
  FigureSource source;
  std::string note = {};
  std::string x_label = {};
  std::string y_label = {};
  std::string value_label = {};  // with the unit
  std::vector<double> x = {};    // ascending levels
  std::vector<double> y = {};
  std::vector<std::vector<double>> values = {};
  std::optional<double> color_hi = {};  // colors end here; higher values look the same
  std::vector<Remark> remarks = {};     // x and y in levels: "optimum", "MAXN"
  std::vector<Contour> contours = {};
  double width = 640;
  double height = 420;
};

// Bars whose parts add up: values[part][bar]. Names stand to the left, a bar each.
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

// Distributions below each other, with median and quartiles.
struct ViolinPlot {
  std::string title = {};
  FigureSource source;
  std::string note = {};
  Axis value = {};
  std::vector<std::string> names = {};
  std::vector<std::vector<double>> values = {};
  double width = 640;
};

// What ran where and when.
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
  std::string source;  // FigureSource::line()
  std::string note;
};
FigureHead figure_head(const Figure& figure);

// An entry of a legend; pages set it in HTML, so that it wraps at any width.
struct LegendEntry {
  std::string name = {};
  std::string color = {};
  Mark mark = Mark::kLine;
  bool dashed = false;
};
std::vector<LegendEntry> figure_legend(const Figure& figure);

// The values that the colors of a heat map stand for: the data's own, up to `color_hi`.
struct ColorRange {
  double lo = 0;
  double hi = 0;
  bool clipped = false;  // higher values are there and look like `hi`
};
// nullopt: no finite value.
std::optional<ColorRange> color_range(const HeatMap& map);

struct SvgOptions {
  double width = 0;  // of the document; 0: the figure's own
  bool head = true;  // title, source, note and legend too; a page tells them in HTML
};
// A whole SVG document; the same figure gives the same bytes. UsageError when vectors that belong
// together differ in length.
std::string to_svg(const Figure& figure, const SvgOptions& options = {});
// Several figures below each other in one document.
std::string to_svg(const std::vector<Figure>& figures, const std::string& title);
// The option object of an ECharts chart without title and legend. Points keep their table row as
// the data item's "row". What ECharts does not take as data (ticks of our own, polygons) is in
// fields that charts.js reads.
Json to_echarts(const Figure& figure);
// Height of the chart in a page, in pixels.
double chart_height(const Figure& figure);

// Gaussian kernel density of a sample (Silverman 1986, equation 3.31) at `at`; for violins.
std::vector<double> kernel_density(const std::vector<double>& sample,
                                   const std::vector<double>& at);

}  // namespace ridgewatt::report
