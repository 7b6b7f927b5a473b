// The part that all static figures share: title, axes with ticks, grid, legend.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/report/axis.h"
#include "ridgewatt/report/figure.h"
#include "ridgewatt/report/svg.h"

namespace ridgewatt {

// The plot area inside the margins.
struct Frame {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;
  double width() const { return right - left; }
  double height() const { return bottom - top; }
};

struct LegendEntry {
  std::string name = {};
  std::string color = {};
  Mark mark = Mark::kLine;
  bool dashed = false;
};

void draw_title(Svg& svg, const std::string& title, double width);
void draw_x_axis(Svg& svg, const Frame& frame, const Scale& scale, const std::string& label);
void draw_y_axis(Svg& svg, const Frame& frame, const Scale& scale, const std::string& label,
                 bool grid = true);
// A legend in rows above the frame; returns its height. With `svg` null only measures.
double draw_legend(Svg* svg, const std::vector<LegendEntry>& entries, double left, double top,
                   double width);

std::string svg_plot(const Plot& plot);
std::string svg_heat_map(const HeatMap& map);
std::string svg_stacked_bars(const StackedBars& bars);
std::string svg_violins(const ViolinPlot& plot);
std::string svg_timeline(const Timeline& timeline);

}  // namespace ridgewatt
