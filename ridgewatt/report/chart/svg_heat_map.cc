// Static heat maps with contour lines and marked cells.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ridgewatt/report/chart/contour.h"
#include "ridgewatt/report/chart/svg_frame.h"
#include "ridgewatt/report/table.h"

namespace ridgewatt::report {
namespace {

constexpr int kColorSteps = 64;
constexpr double kBarRoom = 64;  // space for the color bar and its numbers

struct Cells {
  Frame frame;
  double width;   // width of a cell
  double height;  // height of a cell
  SvgPoint center(double column, double row) const {
    return {frame.left + (column + 0.5) * width, frame.bottom - (row + 0.5) * height};
  }
};

std::size_t level_stride(std::size_t count, double room) {
  const double stride = std::ceil(static_cast<double>(count) / std::max(1.0, room));
  return std::max<std::size_t>(1, static_cast<std::size_t>(stride));
}

double widest_level(const std::vector<double>& levels) {
  double widest = 12;
  for (const double level : levels) {
    widest = std::max(widest, text_width(tick_label(level), kTickSize));
  }
  return widest;
}

void draw_levels(Svg& svg, const HeatMap& map, const Cells& cells) {
  const Frame& frame = cells.frame;
  const std::size_t across = level_stride(map.x.size(), frame.width() / (widest_level(map.x) + 10));
  for (std::size_t i = 0; i < map.x.size(); i += across) {
    svg.text({cells.center(static_cast<double>(i), 0).x, frame.bottom + 16}, tick_label(map.x[i]),
             {.size = kTickSize, .anchor = Anchor::kMiddle});
  }
  const std::size_t up = level_stride(map.y.size(), frame.height() / 18);
  for (std::size_t i = 0; i < map.y.size(); i += up) {
    svg.text({frame.left - 6, cells.center(0, static_cast<double>(i)).y + 4}, tick_label(map.y[i]),
             {.size = kTickSize, .anchor = Anchor::kEnd});
  }
  svg.text({(frame.left + frame.right) / 2, frame.bottom + 36}, map.x_label,
           {.size = kLabelSize, .anchor = Anchor::kMiddle});
  svg.text({12, frame.top - 10}, map.y_label, {.size = kLabelSize});
}

void draw_contours(Svg& svg, const HeatMap& map, const Cells& cells, LabelPlacer& placer) {
  for (const auto& line : contour_lines(map)) {
    for (const auto& [a, b] : line.segments) {
      svg.line(cells.center(a.column, a.row), cells.center(b.column, b.row),
               {.stroke = "#ffffff", .width = 1.2, .opacity = 0.85});
    }
    for (const auto& place : line.places) {
      const SvgPoint at = cells.center(place.column, place.row);
      if (line.text.empty() || !placer.on(at, line.text, kTickSize)) continue;
      draw_haloed(svg, {at.x, at.y + 4}, line.text,
                  {.size = kTickSize, .anchor = Anchor::kMiddle, .color = "#ffffff"}, "#0e2054");
      break;
    }
  }
}

void draw_color_bar(Svg& svg, const Frame& frame, const ColorRange& range, const std::string& label,
                    double right) {
  const double left = frame.right + 14;
  const double step = frame.height() / kColorSteps;
  for (int i = 0; i < kColorSteps; ++i) {
    svg.rectangle({left, frame.bottom - (i + 1) * step}, 12, step + 0.5,
                  {.fill = ramp_color((i + 0.5) / kColorSteps)});
  }
  const auto number = [](double value) { return cell_text(value, 3); };
  // The ends of the range, and three numbers between them.
  for (int i = 0; i <= 4; ++i) {
    const double value = range.lo + (range.hi - range.lo) * i / 4;
    const std::string more = i == 4 && range.clipped ? "\u2265 " : "";
    svg.text({left + 17, frame.bottom - frame.height() * i / 4 +
                             (i == 4   ? 9
                              : i == 0 ? 0
                                       : 4)},
             more + number(value), {.size = kTickSize});
  }
  // The label has its own line above the label of the y axis.
  svg.text({right, frame.top - 30}, label, {.size = kLabelSize, .anchor = Anchor::kEnd});
}

void draw_cells(Svg& svg, const HeatMap& map, const Cells& cells, const ColorRange& range) {
  const double span = range.hi > range.lo ? range.hi - range.lo : 1;
  for (std::size_t row = 0; row < map.y.size(); ++row) {
    for (std::size_t column = 0; column < map.x.size(); ++column) {
      const double value = map.values[row][column];
      if (!std::isfinite(value)) continue;
      const SvgPoint center = cells.center(static_cast<double>(column), static_cast<double>(row));
      // Half a pixel of overlap hides the seams between cells.
      svg.rectangle({center.x - cells.width / 2, center.y - cells.height / 2}, cells.width + 0.5,
                    cells.height + 0.5,
                    {.fill = ramp_color((value - range.lo) / span),
                     .title = fmt::format("{}, {}: {:.4g}", tick_label(map.x[column]),
                                          tick_label(map.y[row]), value)});
    }
  }
}

}  // namespace

double level_index(const std::vector<double>& levels, double value) {
  const auto above = std::lower_bound(levels.begin(), levels.end(), value);
  if (above == levels.begin()) return 0;
  if (above == levels.end()) return static_cast<double>(levels.size()) - 1;
  const auto i = static_cast<std::size_t>(above - levels.begin());
  return static_cast<double>(i) - (levels[i] - value) / (levels[i] - levels[i - 1]);
}

std::string draw_figure(const HeatMap& map, const SvgOptions& options) {
  Sheet sheet = begin_sheet(figure_head(map), {}, map.height - 30, options);
  Svg& svg = sheet.svg;
  const double bar = options.head ? kBarRoom : 0;
  const double more = options.head ? 20 : 0;  // space for the label of the color bar
  const Frame frame{.left = 20 + widest_level(map.y),
                    .top = sheet.top + 26 + more,
                    .right = options.width - 18 - bar,
                    .bottom = sheet.bottom - 46};
  const Cells cells{frame,
                    frame.width() / static_cast<double>(std::max<std::size_t>(1, map.x.size())),
                    frame.height() / static_cast<double>(std::max<std::size_t>(1, map.y.size()))};
  const auto range = color_range(map);
  if (range) draw_cells(svg, map, cells, *range);
  LabelPlacer placer(frame);
  std::vector<std::pair<SvgPoint, LabelPlacer::Place>> places;
  for (const auto& remark : map.remarks) {
    if (!remark.x || !remark.y) continue;
    const SvgPoint point =
        cells.center(level_index(map.x, *remark.x), level_index(map.y, *remark.y));
    places.emplace_back(point, placer.next_to(point, remark.text, kTickSize, 11));
  }
  draw_contours(svg, map, cells, placer);
  draw_levels(svg, map, cells);
  if (options.head && range) {
    draw_color_bar(svg, frame, *range, map.value_label, options.width - 12);
  }
  std::size_t i = 0;
  for (const auto& remark : map.remarks) {
    if (!remark.x || !remark.y) continue;
    const auto& [point, place] = places[i++];
    svg.circle(point, 7, {.stroke = "#000000", .width = 3.5});
    svg.circle(point, 7, {.stroke = "#ffffff", .width = 1.8});
    draw_haloed(svg, place.at, remark.text,
                {.size = kTickSize, .anchor = place.anchor, .bold = true, .color = "#ffffff"},
                "#000000");
  }
  return svg.document(map.title + ". " + map.source.line());
}

}  // namespace ridgewatt::report
