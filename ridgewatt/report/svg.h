// A small SVG writer with defaults for print quality. Text is escaped. The output depends only on
// the calls.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

namespace ridgewatt::report {

struct SvgPoint {
  double x = 0;
  double y = 0;
};

// How a shape is drawn. An empty color means none. "currentColor" follows the page (light or dark).
struct SvgStyle {
  std::string stroke = {};
  double width = 1;
  std::string fill = {};
  double opacity = 1;
  std::string dash = {};   // "4 3"; empty: solid
  int row = -1;            // data-row attribute: the table row of this shape; -1: none
  std::string title = {};  // shown on hover
};

enum class Anchor { kStart, kMiddle, kEnd };

struct SvgText {
  double size = 12;
  Anchor anchor = Anchor::kStart;
  double rotate_deg = 0;
  bool bold = false;
  double opacity = 1;
  std::string color = "currentColor";
};

class Svg {
 public:
  // Size in CSS pixels (96 per inch).
  Svg(double width, double height);
  void line(SvgPoint from, SvgPoint to, const SvgStyle& style);
  void polyline(std::span<const SvgPoint> points, const SvgStyle& style);
  void polygon(std::span<const SvgPoint> points, const SvgStyle& style);
  void rectangle(SvgPoint corner, double width, double height, const SvgStyle& style);
  void circle(SvgPoint center, double radius, const SvgStyle& style);
  // Many discs of the same size as one shape, with the color and width of the stroke.
  void dots(std::span<const SvgPoint> centers, const SvgStyle& style);
  void text(SvgPoint at, std::string_view text, const SvgText& style = {});
  // Shapes until end_clip() are visible only inside this rectangle.
  void begin_clip(SvgPoint corner, double width, double height);
  void end_clip();
  // The complete document. `title` is its accessible name.
  std::string document(std::string_view title) const;

 private:
  void open(std::string_view element, const SvgStyle& style);
  void close(std::string_view element, const SvgStyle& style);
  double width_;
  double height_;
  int clips_ = 0;
  std::string body_;
};

// Eight colors that color-blind people can distinguish (Okabe and Ito 2008, in an order in which
// neighbors also differ in lightness). Higher indices repeat them.
std::string palette_color(std::size_t index);
// Dark blue to yellow for positions 0 to 1. Lightness rises strictly, so the ramp works in gray
// print and for color-blind people.
std::array<int, 3> ramp_rgb(double position);
std::string ramp_color(double position);
// Width of a text in pixels, from the advance widths of a wide sans-serif font (DejaVu Sans). For
// narrower fonts it is an upper bound.
double text_width(std::string_view text, double size);

}  // namespace ridgewatt::report
