#include "ridgewatt/report/figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>
#include <utility>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/report/chart/svg_frame.h"

namespace ridgewatt::report {
namespace {

void require(bool holds, const std::string& title) {
  if (!holds) throw UsageError("the series of a figure have different lengths", title);
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

std::vector<LegendEntry> legend_of(const Plot& plot) {
  std::vector<LegendEntry> legend;
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    const Series& series = plot.series[i];
    if (series.name.empty()) continue;
    legend.push_back({series.name, series_color(series, i), series.mark, series.dashed});
  }
  return legend;
}

std::vector<LegendEntry> legend_of(const StackedBars& bars) {
  std::vector<LegendEntry> legend;
  for (std::size_t p = 0; p < bars.parts.size(); ++p) {
    legend.push_back({bars.parts[p], palette_color(p), Mark::kBand, false});
  }
  return legend;
}

std::vector<LegendEntry> legend_of(const Timeline& timeline) {
  std::vector<LegendEntry> legend;
  const auto kinds = timeline_kinds(timeline);
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    if (!kinds[k].empty()) legend.push_back({kinds[k], palette_color(k), Mark::kBand, false});
  }
  return legend;
}

constexpr const char* kDarkScheme =
    "\n<style>@media (prefers-color-scheme: dark) "
    "{ svg { color: #e6e8eb; background: #15181c !important; } }</style>";

// Reads an attribute of the root element.
double svg_size(const std::string& svg, const std::string& name) {
  const auto at = svg.find(" " + name + "=\"") + name.size() + 3;
  return parse_double(svg.substr(at, svg.find('"', at) - at)).value_or(0);
}

std::vector<LegendEntry> legend_of(const HeatMap&) {
  return {};
}
std::vector<LegendEntry> legend_of(const ViolinPlot&) {
  return {};
}

}  // namespace

FigureSource::FigureSource(std::string of_workload, std::string on_board,
                           std::optional<Provenance> origin, std::string more)
    : workload(std::move(of_workload)),
      board(std::move(on_board)),
      provenance(origin),
      detail(std::move(more)) {}

std::string FigureSource::line() const {
  std::string text = workload;
  text += board.empty() ? (text.empty() ? "Board not recorded" : ", board not recorded")
                        : (text.empty() ? "" : " on ") + board;
  const std::string origin =
      capitalized(provenance ? name_of(*provenance) : "provenance not recorded");
  return text + ". " + origin + (detail.empty() ? "" : ": " + detail);
}

FigureHead figure_head(const Figure& figure) {
  return std::visit(
      [](const auto& f) {
        return FigureHead{f.title, f.source.line(), f.note};
      },
      figure);
}

std::vector<LegendEntry> figure_legend(const Figure& figure) {
  return std::visit([](const auto& f) { return legend_of(f); }, figure);
}

std::optional<ColorRange> color_range(const HeatMap& map) {
  std::optional<ColorRange> range;
  for (const auto& row : map.values) {
    for (const double value : row) {
      if (!std::isfinite(value)) continue;
      if (!range) range = {value, value, false};
      range->lo = std::min(range->lo, value);
      range->hi = std::max(range->hi, value);
    }
  }
  if (range && map.color_hi && *map.color_hi<range->hi&& * map.color_hi> range->lo) {
    range->hi = *map.color_hi;
    range->clipped = true;
  }
  return range;
}

std::string to_svg(const Figure& figure, const SvgOptions& options) {
  std::string svg = std::visit(
      [&](const auto& f) {
        check(f);
        return draw_figure(f, {options.width > 0 ? options.width : f.width, options.head});
      },
      figure);
  // A stand-alone document follows the dark mode of its viewer; a page has its own colors.
  if (options.head) svg.insert(svg.find('>') + 1, kDarkScheme);
  return svg;
}

std::string to_svg(const std::vector<Figure>& figures, const std::string& title) {
  double width = 0;
  double height = 0;
  std::string parts;
  for (const auto& figure : figures) {
    // An SVG document is an element, so it can be part of another document at an offset.
    std::string part = to_svg(figure);
    width = std::max(width, svg_size(part, "width"));
    const double own_height = svg_size(part, "height");
    part.insert(4, fmt::format(" y=\"{}\"", height));
    parts += part;
    height += own_height;
  }
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\" style=\"background:#fff\">\n<title>{2}</title>\n{3}</svg>\n",
      width, height, escape_html(title), parts);
}

}  // namespace ridgewatt::report
