#include "ridgewatt/report/chart/svg_frame.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "ridgewatt/base/text.h"

namespace ridgewatt::report {
namespace {

constexpr double kEdge = 12;  // margin around texts at the edge

SvgStyle ink(double opacity) {
  return {.stroke = "currentColor", .width = 1, .opacity = opacity};
}

bool is_free_of(const std::vector<Frame>& taken, const Frame& box) {
  return std::none_of(taken.begin(), taken.end(), [&](const Frame& other) {
    return box.left < other.right && other.left < box.right && box.top < other.bottom &&
           other.top < box.bottom;
  });
}

// Splits a text into lines no wider than `width`. A longer word is shortened, on its own line.
std::vector<std::string> wrapped(const std::string& text, double size, double width) {
  std::vector<std::string> lines;
  for (const auto& word : split(text, ' ')) {
    if (word.empty()) continue;
    if (!lines.empty() && text_width(lines.back() + " " + word, size) <= width)
      lines.back() += " " + word;
    else
      lines.push_back(shortened(word, size, width));
  }
  return lines;
}

// Draws a legend in rows and returns its height. If `svg` is null, only measures.
double draw_legend(Svg* svg, const std::vector<LegendEntry>& entries, double left, double top,
                   double width) {
  if (entries.empty()) return 0;
  double x = left;
  double y = top;
  for (const auto& entry : entries) {
    const std::string name = shortened(entry.name, kTickSize, width - 28);
    const double advance = 28 + text_width(name, kTickSize) + 14;
    if (x > left && x + advance - 14 > left + width) x = left, y += 17;
    if (svg != nullptr) {
      if (entry.mark == Mark::kPoints) {
        svg->circle({x + 11, y + 8}, 4, {.fill = entry.color});
      } else if (entry.mark == Mark::kBand) {
        svg->rectangle({x, y + 3}, 22, 10, {.fill = entry.color, .opacity = 0.8});
      } else {
        svg->line({x, y + 8}, {x + 22, y + 8},
                  {.stroke = entry.color, .width = 2.2, .dash = entry.dashed ? "6 4" : ""});
      }
      svg->text({x + 28, y + 12}, name, {.size = kTickSize});
    }
    x += advance;
  }
  return y - top + 22;
}

struct HeadLine {
  std::string text;
  double size;
  bool bold;
};

std::vector<HeadLine> head_lines(const FigureHead& head, double width) {
  std::vector<HeadLine> lines;
  const auto add = [&](const std::string& text, double size, bool bold) {
    // Bold text is about an eighth wider.
    for (auto& line : wrapped(text, bold ? size * 1.12 : size, width)) {
      lines.push_back({std::move(line), size, bold});
    }
  };
  add(head.title, 15, true);
  add(head.source, 11.5, false);
  add(head.note, 11.5, false);
  return lines;
}

}  // namespace

std::string shortened(const std::string& text, double size, double room) {
  if (text_width(text, size) <= room) return text;
  std::string kept = text;
  while (!kept.empty() && text_width(kept + "\u2026", size) > room) {
    // Remove only whole UTF-8 characters.
    while (!kept.empty() && (static_cast<unsigned char>(kept.back()) & 0xC0) == 0x80) {
      kept.pop_back();
    }
    if (!kept.empty()) kept.pop_back();
  }
  return kept + "\u2026";
}

Sheet begin_sheet(const FigureHead& head, const std::vector<LegendEntry>& legend, double height,
                  const SvgOptions& options) {
  const double room = options.width - 2 * kEdge;
  double top = 6;
  if (!options.head) return {Svg(options.width, height + top), top, height + top};
  const auto lines = head_lines(head, room);
  for (const auto& line : lines) top += line.size * 1.35;
  if (!lines.empty()) top += 6;
  const double legend_top = top;
  top += draw_legend(nullptr, legend, kEdge, legend_top, room);
  Sheet sheet{Svg(options.width, top + height), top, top + height};
  double y = 6;
  for (const auto& line : lines) {
    y += line.size * 1.35;
    sheet.svg.text({kEdge, y - 3}, line.text,
                   {.size = line.size, .bold = line.bold, .opacity = line.bold ? 1 : 0.75});
  }
  draw_legend(&sheet.svg, legend, kEdge, legend_top, room);
  return sheet;
}

double left_of(const std::vector<Tick>& ticks) {
  double widest = 12;
  for (const auto& tick : ticks) widest = std::max(widest, text_width(tick.label, kTickSize));
  return kEdge + widest + 8;
}

std::vector<Tick> y_ticks(const Scale& scale, double height) {
  return scale.apart(std::max(3, static_cast<int>(height / 45)), kTickSize, true);
}

void draw_x_axis(Svg& svg, const Frame& frame, const Scale& scale, const std::string& label) {
  const int wanted = std::max(3, static_cast<int>(frame.width() / 65));
  for (const auto& tick : scale.apart(wanted, kTickSize, false)) {
    const double x = scale.pixel(tick.value);
    const bool major = !tick.label.empty();
    svg.line({x, frame.top}, {x, frame.bottom}, ink(major ? 0.14 : 0.05));
    svg.line({x, frame.bottom}, {x, frame.bottom + (major ? 5 : 3)}, ink(0.7));
    if (!major) continue;
    svg.text({x, frame.bottom + 18}, tick.label, {.size = kTickSize, .anchor = Anchor::kMiddle});
  }
  svg.line({frame.left, frame.bottom}, {frame.right, frame.bottom}, ink(0.7));
  svg.text({(frame.left + frame.right) / 2, frame.bottom + 36},
           shortened(label, kLabelSize, frame.width() + frame.left),
           {.size = kLabelSize, .anchor = Anchor::kMiddle});
}

void draw_y_axis(Svg& svg, const Frame& frame, const Scale& scale, const std::string& label,
                 bool grid) {
  for (const auto& tick : y_ticks(scale, frame.height())) {
    const double y = scale.pixel(tick.value);
    const bool major = !tick.label.empty();
    if (grid) svg.line({frame.left, y}, {frame.right, y}, ink(major ? 0.14 : 0.05));
    svg.line({frame.left - (major ? 5 : 3), y}, {frame.left, y}, ink(0.7));
    if (!major) continue;
    svg.text({frame.left - 8, y + 4}, tick.label, {.size = kTickSize, .anchor = Anchor::kEnd});
  }
  svg.line({frame.left, frame.top}, {frame.left, frame.bottom}, ink(0.7));
  svg.text({kEdge, frame.top - 10}, shortened(label, kLabelSize, frame.right - kEdge),
           {.size = kLabelSize});
}

double name_room(const std::vector<std::string>& names, double width) {
  double widest = 20;
  for (const auto& name : names) widest = std::max(widest, text_width(name, kTickSize));
  return std::min(widest, 0.42 * width);
}

LabelPlacer::Place LabelPlacer::next_to(SvgPoint point, const std::string& text, double size,
                                        double distance) {
  const double width = text_width(text, size) * 1.1;
  const auto box = [&](double x, double baseline) {
    return Frame{x, baseline - 0.85 * size, x + width, baseline + 0.3 * size};
  };
  const double right = point.x + distance;
  const double left = point.x - distance - width;
  const double middle = point.x - width / 2;
  std::vector<SvgPoint> corners;
  for (double shift = 0; shift < frame_.height(); shift += 16) {
    for (const double y : {point.y - 0.7 * distance - shift, point.y + 1.4 * distance + shift}) {
      for (const double x : {right, left, middle}) corners.push_back({x, y});
    }
  }
  const auto inside = [&](const Frame& b) {
    return b.left >= frame_.left && b.right <= frame_.right && b.top >= frame_.top &&
           b.bottom <= frame_.bottom;
  };
  // Near positions must be free of lines and labels. Otherwise, any position free of labels is
  // used.
  constexpr std::size_t kNear = 30;
  for (const bool off_lines : {true, false}) {
    const std::size_t count = off_lines ? std::min(kNear, corners.size()) : corners.size();
    for (std::size_t i = 0; i < count; ++i) {
      const Frame b = box(corners[i].x, corners[i].y);
      if (!inside(b) || !is_free_of(taken_, b) || (off_lines && !is_free_of(lines_, b))) continue;
      taken_.push_back(b);
      return {corners[i], Anchor::kStart};
    }
  }
  // No position is free, so only keep the label inside the frame.
  const double x = std::max(frame_.left, std::min(right, frame_.right - width));
  const double y =
      std::clamp(point.y, frame_.top + size, std::max(frame_.top + size, frame_.bottom));
  taken_.push_back(box(x, y));
  return {{x, y}, Anchor::kStart};
}

void LabelPlacer::keep_off(std::span<const SvgPoint> line) {
  constexpr double kStep = 6;
  const auto take = [&](SvgPoint at) {
    lines_.push_back({at.x - 3, at.y - 3, at.x + 3, at.y + 3});
  };
  if (line.size() == 1) take(line[0]);
  for (std::size_t i = 0; i + 1 < line.size(); ++i) {
    const double dx = line[i + 1].x - line[i].x;
    const double dy = line[i + 1].y - line[i].y;
    const int steps = std::max(1, static_cast<int>(std::hypot(dx, dy) / kStep));
    for (int s = 0; s <= steps; ++s) {
      take({line[i].x + dx * s / steps, line[i].y + dy * s / steps});
    }
  }
}

bool LabelPlacer::on(SvgPoint point, const std::string& text, double size) {
  const double half = text_width(text, size) * 0.55 + 3;
  const Frame b{point.x - half, point.y - 0.8 * size, point.x + half, point.y + 0.8 * size};
  if (b.left < frame_.left || b.right > frame_.right || b.top < frame_.top ||
      b.bottom > frame_.bottom || !is_free_of(taken_, b)) {
    return false;
  }
  taken_.push_back(b);
  return true;
}

void draw_haloed(Svg& svg, SvgPoint at, const std::string& text, const SvgText& style,
                 const std::string& halo) {
  SvgText behind = style;
  behind.color = halo;
  static constexpr std::array<SvgPoint, 4> kShifts = {{{-1, 0}, {1, 0}, {0, -1}, {0, 1}}};
  for (const auto& [dx, dy] : kShifts) svg.text({at.x + dx, at.y + dy}, text, behind);
  svg.text(at, text, style);
}

}  // namespace ridgewatt::report
