// Shared parts of static figures: title, source, legend, axes with ticks, grid, and the placement
// of labels.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ridgewatt/report/chart/axis.h"
#include "ridgewatt/report/figure.h"
#include "ridgewatt/report/svg.h"

namespace ridgewatt::report {

inline constexpr double kTickSize = 11;
inline constexpr double kLabelSize = 12;

// The plot area inside the margins.
struct Frame {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;
  double width() const { return right - left; }
  double height() const { return bottom - top; }
};

// A document of `width` with its head (title, source, note, legend, wrapped to the width) and space
// of `height` below the head for the figure. `top` is where the figure begins.
struct Sheet {
  Svg svg;
  double top = 0;
  double bottom = 0;
};
Sheet begin_sheet(const FigureHead& head, const std::vector<LegendEntry>& legend, double height,
                  const SvgOptions& options);

// The left edge of a frame if its y axis has these labels.
double left_of(const std::vector<Tick>& ticks);
// Axis labels are horizontal: y above the axis, x below it.
void draw_x_axis(Svg& svg, const Frame& frame, const Scale& scale, const std::string& label);
void draw_y_axis(Svg& svg, const Frame& frame, const Scale& scale, const std::string& label,
                 bool grid = true);
std::vector<Tick> y_ticks(const Scale& scale, double height);

// The space left of the frame for names of bars and lanes, and a name shortened to it.
double name_room(const std::vector<std::string>& names, double width);
std::string shortened(const std::string& text, double size, double room);

// Finds a position for a label next to a point where it does not cover earlier labels.
class LabelPlacer {
 public:
  explicit LabelPlacer(const Frame& frame) : frame_(frame) {}
  struct Place {
    SvgPoint at;  // baseline
    Anchor anchor = Anchor::kStart;
  };
  Place next_to(SvgPoint point, const std::string& text, double size, double distance);
  // Labels avoid this line if there is another position.
  void keep_off(std::span<const SvgPoint> line);
  // False if a label centered on `point` would cover another one.
  bool on(SvgPoint point, const std::string& text, double size);

 private:
  Frame frame_;
  std::vector<Frame> taken_;  // frames taken by labels
  std::vector<Frame> lines_;
};
// Draws a dark or light copy behind the text, so that it is readable on every color.
void draw_haloed(Svg& svg, SvgPoint at, const std::string& text, const SvgText& style,
                 const std::string& halo);

// Whether the points are drawn as one shape: they have no individual names, rows or sizes, and one
// element per point would slow down a page.
bool is_cloud(const Series& series);
std::string series_color(const Series& series, std::size_t index);
std::vector<std::string> timeline_kinds(const Timeline& timeline);
// The range of an axis: its limits if set, otherwise that of the data with a margin.
Range plot_range(const Plot& plot, bool x);
// The fractional index of a value among levels, for marks and contours.
double level_index(const std::vector<double>& levels, double value);

std::string draw_figure(const Plot& plot, const SvgOptions& options);
std::string draw_figure(const HeatMap& map, const SvgOptions& options);
std::string draw_figure(const StackedBars& bars, const SvgOptions& options);
std::string draw_figure(const ViolinPlot& plot, const SvgOptions& options);
std::string draw_figure(const Timeline& timeline, const SvgOptions& options);

}  // namespace ridgewatt::report
