// Text in the cells of a terminal: counts cells, and cuts or pads text to a width. Names come from
// outside (rails, processes, windows): characters that could move the cursor or have no or an
// uncertain width never reach the terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ridgewatt::screen {

enum class Glyphs { kBraille, kBlocks, kAscii };

// Replaces control characters and malformed UTF-8 by \xNN and characters of uncertain width by "?",
// and removes marks without a width; with kAscii it replaces all other characters that are not
// ASCII, too.
std::string harmless(std::string_view text, Glyphs glyphs = Glyphs::kBraille);

// Cells of sanitized text: wide characters take two.
std::size_t cells(std::string_view text);
// The longest prefix of sanitized text with at most `width` cells.
std::string first_cells(std::string_view text, std::size_t width);
// Exactly `width` cells: padded with blanks, or cut and ended with "~".
std::string left(std::string_view text, std::size_t width);
std::string right(std::string_view text, std::size_t width);
// Breaks text at blanks into lines of at most `width` cells.
std::vector<std::string> wrapped(std::string_view text, std::size_t width);

// The meaning of a piece of text, for its color.
enum class Tone { kPlain, kTitle, kDim, kGood, kWarn, kBad, kBar, kGraph, kKey };

struct Span {
  std::string text;
  Tone tone = Tone::kPlain;
};

// A line of the screen.
class Line {
 public:
  Line() = default;
  Line(std::string text, Tone tone = Tone::kPlain) { add(std::move(text), tone); }
  Line& add(std::string text, Tone tone = Tone::kPlain);
  Line& add(const Line& more);
  // Exactly `width` cells.
  Line& fit(std::size_t width);
  std::size_t cells() const;
  std::string text() const;
  const std::vector<Span>& spans() const { return spans_; }

 private:
  std::vector<Span> spans_;
};

}  // namespace ridgewatt::screen
