#include "ridgewatt/report/figure.h"

#include <fmt/format.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/report/svg_frame.h"

namespace ridgewatt {
namespace {

void require(bool holds, const std::string& title) {
  if (!holds) throw UsageError("figure data of different lengths", title);
}

void check(const Plot& plot) {
  for (const auto& series : plot.series) {
    const std::size_t n = series.x.size();
    const auto fits = [n](const auto& values) { return values.empty() || values.size() == n; };
    require(series.y.size() == n && fits(series.radius) && fits(series.rows) &&
                fits(series.labels) &&
                (series.mark == Mark::kBand ? series.y_hi.size() == n : series.y_hi.empty()),
            plot.title);
  }
}

void check(const HeatMap& map) {
  require(map.values.size() == map.y.size(), map.title);
  for (const auto& row : map.values) require(row.size() == map.x.size(), map.title);
}

void check(const StackedBars& bars) {
  require(bars.values.size() == bars.parts.size(), bars.title);
  for (const auto& part : bars.values) require(part.size() == bars.bars.size(), bars.title);
}

void check(const ViolinPlot& plot) {
  require(plot.values.size() == plot.names.size(), plot.title);
}

void check(const Timeline& timeline) {
  for (const auto& span : timeline.spans) {
    require(span.lane < timeline.lanes.size() && span.begin <= span.end, timeline.title);
  }
}

std::string draw(const Plot& plot) {
  return svg_plot(plot);
}
std::string draw(const HeatMap& map) {
  return svg_heat_map(map);
}
std::string draw(const StackedBars& bars) {
  return svg_stacked_bars(bars);
}
std::string draw(const ViolinPlot& plot) {
  return svg_violins(plot);
}
std::string draw(const Timeline& timeline) {
  return svg_timeline(timeline);
}

}  // namespace

const std::string& figure_title(const Figure& figure) {
  return std::visit([](const auto& f) -> const std::string& { return f.title; }, figure);
}

std::string to_svg(const Figure& figure) {
  return std::visit(
      [](const auto& f) {
        check(f);
        return draw(f);
      },
      figure);
}

}  // namespace ridgewatt
