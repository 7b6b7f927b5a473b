#include "ridgewatt/report/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/text.h"

namespace ridgewatt::report {
namespace {

// At most two decimals, without trailing zeros and without "-0".
std::string pixel(double value) {
  if (!std::isfinite(value)) value = 0;
  const double rounded = std::round(std::clamp(value, -1e6, 1e6) * 100) / 100;
  return fmt::format("{}", rounded == 0 ? 0.0 : rounded);
}

std::string points_text(std::span<const SvgPoint> points) {
  std::string text;
  for (const auto& [x, y] : points) text += fmt::format("{},{} ", pixel(x), pixel(y));
  if (!text.empty()) text.pop_back();
  return text;
}

std::string style_text(const SvgStyle& style) {
  std::string text =
      fmt::format(" fill=\"{}\"", style.fill.empty() ? "none" : escape_html(style.fill));
  if (!style.stroke.empty()) {
    text += fmt::format(" stroke=\"{}\" stroke-width=\"{}\"", escape_html(style.stroke),
                        pixel(style.width));
  }
  if (style.opacity < 1) text += fmt::format(" opacity=\"{}\"", pixel(style.opacity));
  if (!style.dash.empty()) text += fmt::format(" stroke-dasharray=\"{}\"", escape_html(style.dash));
  if (style.row >= 0) text += fmt::format(" data-row=\"{}\"", style.row);
  return text;
}

}  // namespace

Svg::Svg(double width, double height) : width_(width), height_(height) {}

void Svg::open(std::string_view element, const SvgStyle& style) {
  body_ += fmt::format("<{}{}", element, style_text(style));
}

void Svg::close(std::string_view element, const SvgStyle& style) {
  if (style.title.empty())
    body_ += "/>\n";
  else
    body_ += fmt::format("><title>{}</title></{}>\n", escape_html(style.title), element);
}

void Svg::line(SvgPoint from, SvgPoint to, const SvgStyle& style) {
  open("line", style);
  body_ += fmt::format(" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"", pixel(from.x), pixel(from.y),
                       pixel(to.x), pixel(to.y));
  close("line", style);
}

void Svg::polyline(std::span<const SvgPoint> points, const SvgStyle& style) {
  open("polyline", style);
  body_ += fmt::format(" stroke-linejoin=\"round\" points=\"{}\"", points_text(points));
  close("polyline", style);
}

void Svg::polygon(std::span<const SvgPoint> points, const SvgStyle& style) {
  open("polygon", style);
  body_ += fmt::format(" points=\"{}\"", points_text(points));
  close("polygon", style);
}

void Svg::rectangle(SvgPoint corner, double width, double height, const SvgStyle& style) {
  open("rect", style);
  body_ += fmt::format(" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"", pixel(corner.x),
                       pixel(corner.y), pixel(std::max(0.0, width)), pixel(std::max(0.0, height)));
  close("rect", style);
}

void Svg::circle(SvgPoint center, double radius, const SvgStyle& style) {
  open("circle", style);
  body_ +=
      fmt::format(" cx=\"{}\" cy=\"{}\" r=\"{}\"", pixel(center.x), pixel(center.y), pixel(radius));
  close("circle", style);
}

void Svg::dots(std::span<const SvgPoint> centers, const SvgStyle& style) {
  open("path", style);
  body_ += " stroke-linecap=\"round\" d=\"";
  for (const auto& [x, y] : centers) body_ += fmt::format("M{} {}h0", pixel(x), pixel(y));
  body_ += '"';
  close("path", style);
}

void Svg::text(SvgPoint at, std::string_view text, const SvgText& style) {
  static constexpr std::array<const char*, 3> kAnchors = {"start", "middle", "end"};
  body_ += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\" fill=\"{}\"", pixel(at.x),
                       pixel(at.y), pixel(style.size), escape_html(style.color));
  if (style.anchor != Anchor::kStart) {
    body_ += fmt::format(" text-anchor=\"{}\"", kAnchors[static_cast<std::size_t>(style.anchor)]);
  }
  if (style.bold) body_ += " font-weight=\"600\"";
  if (style.opacity < 1) body_ += fmt::format(" opacity=\"{}\"", pixel(style.opacity));
  if (style.rotate_deg != 0) {
    body_ += fmt::format(" transform=\"rotate({} {} {})\"", pixel(style.rotate_deg), pixel(at.x),
                         pixel(at.y));
  }
  body_ += fmt::format(">{}</text>\n", escape_html(text));
}

void Svg::begin_clip(SvgPoint corner, double width, double height) {
  // A nested svg element clips without an id, so that several documents fit into one HTML page.
  ++clips_;
  body_ += fmt::format(
      "<svg x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"{3}\" viewBox=\"{0} {1} {2} {3}\">\n",
      pixel(corner.x), pixel(corner.y), pixel(width), pixel(height));
}

void Svg::end_clip() {
  --clips_;
  body_ += "</svg>\n";
}

std::string Svg::document(std::string_view title) const {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\" color=\"#1a1a1a\" style=\"background:#fff\" "
      "font-family=\"Helvetica, Arial, 'DejaVu Sans', "
      "sans-serif\">\n<title>{2}</title>\n{3}</svg>\n",
      pixel(width_), pixel(height_), escape_html(title), body_);
}

std::string palette_color(std::size_t index) {
  static constexpr std::array<const char*, 8> kColors = {
      "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7F7F7F", "#B8A900"};
  return kColors[index % kColors.size()];
}

std::array<int, 3> ramp_rgb(double position) {
  static constexpr std::array<std::array<double, 3>, 5> kStops = {
      {{14, 32, 84}, {52, 76, 124}, {112, 122, 130}, {186, 172, 104}, {252, 226, 84}}};
  const double t = std::isfinite(position) ? std::clamp(position, 0.0, 1.0) * 4 : 0;
  const auto i = std::min<std::size_t>(3, static_cast<std::size_t>(t));
  std::array<int, 3> rgb{};
  for (std::size_t c = 0; c < 3; ++c) {
    const double value =
        kStops[i][c] + (t - static_cast<double>(i)) * (kStops[i + 1][c] - kStops[i][c]);
    rgb[c] = static_cast<int>(std::lround(value));
  }
  return rgb;
}

std::string ramp_color(double position) {
  const auto [r, g, b] = ramp_rgb(position);
  return fmt::format("#{:02x}{:02x}{:02x}", r, g, b);
}

double text_width(std::string_view text, double size) {
  double width = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0) == 0x80) continue;  // continuation byte of a UTF-8 character
    const bool wide = (byte >= 'A' && byte <= 'Z') || c == 'm' || c == 'w' || c == '%';
    const bool narrow = std::string_view("ijlftr.,:;'|()[] -").find(c) != std::string_view::npos;
    width += wide ? 0.76 : narrow ? 0.4 : 0.62;
  }
  return width * size;
}

}  // namespace ridgewatt::report
