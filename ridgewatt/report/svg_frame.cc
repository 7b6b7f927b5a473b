#include "ridgewatt/report/svg_frame.h"

#include <algorithm>

namespace ridgewatt {
namespace {

constexpr double kTickSize = 11;
constexpr double kLabelSize = 12.5;

SvgStyle ink(double opacity, double width = 1) {
  return {.stroke = "currentColor", .width = width, .opacity = opacity};
}

}  // namespace

void draw_title(Svg& svg, const std::string& title, double width) {
  svg.text({width / 2, 20}, title, {.size = 14, .anchor = Anchor::kMiddle, .bold = true});
}

void draw_x_axis(Svg& svg, const Frame& frame, const Scale& scale, const std::string& label) {
  for (const auto& tick : scale.ticks(std::max(3, static_cast<int>(frame.width() / 80)))) {
    const double x = scale.pixel(tick.value);
    const bool major = !tick.label.empty();
    svg.line({x, frame.top}, {x, frame.bottom}, ink(major ? 0.14 : 0.06));
    svg.line({x, frame.bottom}, {x, frame.bottom + (major ? 5 : 3)}, ink(1));
    if (!major) continue;
    svg.text({x, frame.bottom + 18}, tick.label, {.size = kTickSize, .anchor = Anchor::kMiddle});
  }
  svg.line({frame.left, frame.bottom}, {frame.right, frame.bottom}, ink(1));
  svg.text({(frame.left + frame.right) / 2, frame.bottom + 38}, label,
           {.size = kLabelSize, .anchor = Anchor::kMiddle});
}

void draw_y_axis(Svg& svg, const Frame& frame, const Scale& scale, const std::string& label,
                 bool grid) {
  for (const auto& tick : scale.ticks(std::max(3, static_cast<int>(frame.height() / 55)))) {
    const double y = scale.pixel(tick.value);
    const bool major = !tick.label.empty();
    if (grid) svg.line({frame.left, y}, {frame.right, y}, ink(major ? 0.14 : 0.06));
    svg.line({frame.left - (major ? 5 : 3), y}, {frame.left, y}, ink(1));
    if (!major) continue;
    svg.text({frame.left - 8, y + 4}, tick.label, {.size = kTickSize, .anchor = Anchor::kEnd});
  }
  svg.line({frame.left, frame.top}, {frame.left, frame.bottom}, ink(1));
  const double middle = (frame.top + frame.bottom) / 2;
  svg.text({16, middle}, label, {.size = kLabelSize, .anchor = Anchor::kMiddle, .rotate_deg = -90});
}

double draw_legend(Svg* svg, const std::vector<LegendEntry>& entries, double left, double top,
                   double width) {
  if (entries.empty()) return 0;
  double x = left;
  double y = top;
  for (const auto& entry : entries) {
    const double advance = 28 + text_width(entry.name, kTickSize) + 12;
    if (x > left && x + advance > left + width) x = left, y += 17;
    if (svg != nullptr) {
      if (entry.mark == Mark::kPoints) {
        svg->circle({x + 11, y + 8}, 4, {.fill = entry.color});
      } else if (entry.mark == Mark::kBand) {
        svg->rectangle({x, y + 3}, 22, 10, {.fill = entry.color, .opacity = 0.3});
      } else {
        svg->line({x, y + 8}, {x + 22, y + 8},
                  {.stroke = entry.color, .width = 2.2, .dash = entry.dashed ? "6 4" : ""});
      }
      svg->text({x + 28, y + 12}, entry.name, {.size = kTickSize});
    }
    x += advance;
  }
  return y - top + 20;
}

}  // namespace ridgewatt
