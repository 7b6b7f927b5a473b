#include "ridgewatt/report/figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
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

std::string to_svg(const std::vector<Figure>& figures, const std::string& title) {
  double width = 0;
  double height = 0;
  std::string parts;
  for (const auto& figure : figures) {
    const auto [w, h] =
        std::visit([](const auto& f) { return std::pair(f.width, f.height); }, figure);
    // A document is an element: moved down it is a part of another.
    std::string part = to_svg(figure);
    part.insert(4, fmt::format(" y=\"{}\"", height));
    parts += part;
    width = std::max(width, w);
    height += h;
  }
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\" style=\"background:#fff\">\n<title>{2}</title>\n{3}</svg>\n",
      width, height, escape_html(title), parts);
}

}  // namespace ridgewatt
