// The part that all static figures share: title, source, legend, axes with ticks, grid, and a place
// for each text that nothing else takes.
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

// A document of `width` whose head (title, source, note, legend, wrapped to the width) is drawn,
// with `height` below it for the figure. `top` is where the figure begins.
struct Sheet {
  Svg svg;
  double top = 0;
  double bottom = 0;
};
Sheet begin_sheet(const FigureHead& head, const std::vector<LegendEntry>& legend, double height,
                  const SvgOptions& options);

// The left edge of a frame whose y axis carries these labels.
double left_of(const std::vector<Tick>& ticks);
// Axis labels stand horizontally: y above the axis, x below it.
void draw_x_axis(Svg& svg, const Frame& frame, const Scale& scale, const std::string& label);
void draw_y_axis(Svg& svg, const Frame& frame, const Scale& scale, const std::string& label,
                 bool grid = true);
std::vector<Tick> y_ticks(const Scale& scale, double height);

// Names of bars and lanes, to the left of the frame, shortened to `room`.
double name_room(const std::vector<std::string>& names, double width);
std::string shortened(const std::string& text, double size, double room);

// Finds for a text next to a point the place that no earlier text takes.
class LabelPlacer {
 public:
  explicit LabelPlacer(const Frame& frame) : frame_(frame) {}
  struct Place {
    SvgPoint at;  // baseline
    Anchor anchor = Anchor::kStart;
  };
  Place next_to(SvgPoint point, const std::string& text, double size, double distance);
  // Texts keep off this line, where there is another place.
  void keep_off(std::span<const SvgPoint> line);
  // False when the text in the middle of `point` would cover another.
  bool on(SvgPoint point, const std::string& text, double size);

 private:
  Frame frame_;
  std::vector<Frame> taken_;  // by texts
  std::vector<Frame> lines_;
};
// A dark or light copy behind keeps the text readable on every color.
void draw_haloed(Svg& svg, SvgPoint at, const std::string& text, const SvgText& style,
                 const std::string& halo);

// Points without names, rows or sizes of their own, numerous enough that an element for each would
// slow a page down: they are drawn as one shape.
bool is_cloud(const Series& series);
std::string series_color(const Series& series, std::size_t index);
std::vector<std::string> timeline_kinds(const Timeline& timeline);
// Range of an axis of a plot: its own limits, else the data's with some room.
Range plot_range(const Plot& plot, bool x);
// Fractional index of a value among levels, for marks and contours.
double level_index(const std::vector<double>& levels, double value);

std::string draw_figure(const Plot& plot, const SvgOptions& options);
std::string draw_figure(const HeatMap& map, const SvgOptions& options);
std::string draw_figure(const StackedBars& bars, const SvgOptions& options);
std::string draw_figure(const ViolinPlot& plot, const SvgOptions& options);
std::string draw_figure(const Timeline& timeline, const SvgOptions& options);

}  // namespace ridgewatt::report
