// A small SVG writer: shapes and text with print quality defaults, text escaped, bytes that depend
// on nothing but the calls.
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

// How a shape is drawn; an empty color is none. "currentColor" follows the page (light, dark).
struct SvgStyle {
  std::string stroke = {};
  double width = 1;
  std::string fill = {};
  double opacity = 1;
  std::string dash = {};   // "4 3"; empty: solid
  int row = -1;            // data-row attribute: the table row that this shape stands for; -1: none
  std::string title = {};  // shown by viewers on hover
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
  // Many discs of one size as one shape, in the stroke's color and width.
  void dots(std::span<const SvgPoint> centers, const SvgStyle& style);
  void text(SvgPoint at, std::string_view text, const SvgText& style = {});
  // What follows, up to end_clip, shows only inside this rectangle.
  void begin_clip(SvgPoint corner, double width, double height);
  void end_clip();
  // The document. `title` is its accessible name.
  std::string document(std::string_view title) const;

 private:
  void open(std::string_view element, const SvgStyle& style);
  void close(std::string_view element, const SvgStyle& style);
  double width_;
  double height_;
  int clips_ = 0;
  std::string body_;
};

// Eight colors that the color-blind can distinguish (Okabe and Ito 2008, reordered so that
// neighbors differ in lightness too); repeats.
std::string palette_color(std::size_t index);
// Dark blue to yellow over [0, 1], lightness strictly rising, so that it survives gray print and
// color blindness.
std::array<int, 3> ramp_rgb(double position);
std::string ramp_color(double position);
// Width of text in pixels, by the advances of a wide sans-serif face (DejaVu Sans): narrower faces
// leave some room.
double text_width(std::string_view text, double size);

}  // namespace ridgewatt::report
