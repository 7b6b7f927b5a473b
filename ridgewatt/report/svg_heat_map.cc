// Static heat maps with contour lines and marked cells.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ridgewatt/report/svg_frame.h"

namespace ridgewatt {
namespace {

constexpr int kColorSteps = 64;

struct Cells {
  Frame frame;
  double width;   // of a cell
  double height;  // of a cell
  SvgPoint center(double column, double row) const {
    return {frame.left + (column + 0.5) * width, frame.bottom - (row + 0.5) * height};
  }
};

// Fractional index of a level, for marks.
double index_of(const std::vector<double>& levels, double value) {
  const auto above = std::lower_bound(levels.begin(), levels.end(), value);
  if (above == levels.begin()) return 0;
  if (above == levels.end()) return static_cast<double>(levels.size() - 1);
  const auto i = static_cast<std::size_t>(above - levels.begin());
  return static_cast<double>(i) - (levels[i] - value) / (levels[i] - levels[i - 1]);
}

void draw_levels(Svg& svg, const HeatMap& map, const Cells& cells) {
  const auto stride = [](std::size_t count, double room) {
    return static_cast<std::size_t>(std::ceil(static_cast<double>(count) / std::max(1.0, room)));
  };
  const std::size_t across =
      std::max<std::size_t>(1, stride(map.x.size(), cells.frame.width() / 52));
  for (std::size_t i = 0; i < map.x.size(); i += across) {
    svg.text({cells.center(static_cast<double>(i), 0).x, cells.frame.bottom + 16},
             tick_label(map.x[i]), {.size = 11, .anchor = Anchor::kMiddle});
  }
  const std::size_t up = std::max<std::size_t>(1, stride(map.y.size(), cells.frame.height() / 18));
  for (std::size_t i = 0; i < map.y.size(); i += up) {
    svg.text({cells.frame.left - 6, cells.center(0, static_cast<double>(i)).y + 4},
             tick_label(map.y[i]), {.size = 11, .anchor = Anchor::kEnd});
  }
  svg.text({(cells.frame.left + cells.frame.right) / 2, cells.frame.bottom + 36}, map.x_label,
           {.size = 12.5, .anchor = Anchor::kMiddle});
  svg.text({16, (cells.frame.top + cells.frame.bottom) / 2}, map.y_label,
           {.size = 12.5, .anchor = Anchor::kMiddle, .rotate_deg = -90});
}

// Segments of one contour by marching over squares of four cell centres; on each edge that the
// level crosses the crossing point is interpolated.
void draw_contour(Svg& svg, const HeatMap& map, const Cells& cells, double level) {
  static constexpr int kCorner[5][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}};
  for (std::size_t row = 0; row + 1 < map.y.size(); ++row) {
    for (std::size_t column = 0; column + 1 < map.x.size(); ++column) {
      std::vector<SvgPoint> crossings;
      for (int edge = 0; edge < 4; ++edge) {
        const auto [dx0, dy0] = kCorner[edge];
        const auto [dx1, dy1] = kCorner[edge + 1];
        const double a =
            map.values[row + static_cast<std::size_t>(dy0)][column + static_cast<std::size_t>(dx0)];
        const double b =
            map.values[row + static_cast<std::size_t>(dy1)][column + static_cast<std::size_t>(dx1)];
        if (!std::isfinite(a) || !std::isfinite(b) || (a < level) == (b < level)) continue;
        const double t = (level - a) / (b - a);
        crossings.push_back(cells.center(static_cast<double>(column) + dx0 + t * (dx1 - dx0),
                                         static_cast<double>(row) + dy0 + t * (dy1 - dy0)));
      }
      for (std::size_t i = 0; i + 1 < crossings.size(); i += 2) {
        svg.line(crossings[i], crossings[i + 1],
                 {.stroke = "#ffffff", .width = 1.2, .opacity = 0.8});
      }
    }
  }
}

void draw_color_bar(Svg& svg, const Frame& frame, const Scale& scale, const std::string& label) {
  const double left = frame.right + 16;
  const double step = frame.height() / kColorSteps;
  for (int i = 0; i < kColorSteps; ++i) {
    svg.rectangle({left, frame.bottom - (i + 1) * step}, 14, step + 0.5,
                  {.fill = ramp_color((i + 0.5) / kColorSteps)});
  }
  for (const auto& tick : scale.ticks(6)) {
    if (tick.label.empty()) continue;
    svg.text({left + 19, scale.pixel(tick.value) + 4}, tick.label, {.size = 11});
  }
  svg.text({frame.right + 78, (frame.top + frame.bottom) / 2}, label,
           {.size = 12.5, .anchor = Anchor::kMiddle, .rotate_deg = 90});
}

}  // namespace

std::string svg_heat_map(const HeatMap& map) {
  Svg svg(map.width, map.height);
  draw_title(svg, map.title, map.width);
  const Frame frame{.left = 74, .top = 34, .right = map.width - 96, .bottom = map.height - 48};
  const Cells cells{frame,
                    frame.width() / static_cast<double>(std::max<std::size_t>(1, map.x.size())),
                    frame.height() / static_cast<double>(std::max<std::size_t>(1, map.y.size()))};
  double lo = 0;
  double hi = 0;
  bool any = false;
  for (const auto& row : map.values) {
    for (const double value : row) {
      if (!std::isfinite(value)) continue;
      lo = any ? std::min(lo, value) : value;
      hi = any ? std::max(hi, value) : value;
      any = true;
    }
  }
  if (map.color_hi) hi = std::min(hi, *map.color_hi);
  const Scale scale(lo, hi, false, frame.bottom, frame.top);
  for (std::size_t row = 0; row < map.y.size(); ++row) {
    for (std::size_t column = 0; column < map.x.size(); ++column) {
      const double value = map.values[row][column];
      if (!std::isfinite(value)) continue;
      const SvgPoint center = cells.center(static_cast<double>(column), static_cast<double>(row));
      // Half a pixel more than a cell hides seams.
      svg.rectangle({center.x - cells.width / 2, center.y - cells.height / 2}, cells.width + 0.5,
                    cells.height + 0.5,
                    {.fill = ramp_color((value - scale.lo()) / (scale.hi() - scale.lo())),
                     .title = fmt::format("{}, {}: {:.4g}", tick_label(map.x[column]),
                                          tick_label(map.y[row]), value)});
    }
  }
  for (const double level : map.contours) draw_contour(svg, map, cells, level);
  draw_levels(svg, map, cells);
  if (any) draw_color_bar(svg, frame, scale, map.value_label);
  for (const auto& remark : map.remarks) {
    if (!remark.x || !remark.y) continue;
    const SvgPoint point = cells.center(index_of(map.x, *remark.x), index_of(map.y, *remark.y));
    svg.circle(point, 7, {.stroke = "#000000", .width = 3.5});
    svg.circle(point, 7, {.stroke = "#ffffff", .width = 1.8});
    const bool left = point.x + 12 + text_width(remark.text, 11.5) > frame.right;
    const Anchor anchor = left ? Anchor::kEnd : Anchor::kStart;
    const double x = point.x + (left ? -12 : 12);
    const double y = point.y < frame.top + 16 ? point.y + 16 : point.y - 8;
    // A dark copy behind keeps the text readable on every colour.
    for (const auto& [dx, dy] : {SvgPoint{-1, 0}, {1, 0}, {0, -1}, {0, 1}}) {
      svg.text({x + dx, y + dy}, remark.text,
               {.size = 11.5, .anchor = anchor, .bold = true, .color = "#000000"});
    }
    svg.text({x, y}, remark.text,
             {.size = 11.5, .anchor = anchor, .bold = true, .color = "#ffffff"});
  }
  return svg.document(map.title);
}

}  // namespace ridgewatt
