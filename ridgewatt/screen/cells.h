// Text measured in cells of a terminal: counts cells, and cuts or pads text to a width. Names of
// rails, processes and windows are external text. Characters that could move the cursor, or whose
// width is zero or uncertain, never reach the terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ridgewatt::screen {

// The characters that the terminal can show, for graphs and text.
enum class Glyphs { kBraille, kBlocks, kAscii };

// Returns sanitized text: control characters and malformed UTF-8 become \xNN, characters of
// uncertain width become "?", and marks without a width are removed. With kAscii, all other
// non-ASCII characters are replaced as well.
std::string harmless(std::string_view text, Glyphs glyphs = Glyphs::kBraille);

// Number of cells of sanitized text. Wide characters take two.
std::size_t cells(std::string_view text);
// Returns the longest prefix of sanitized text with at most `width` cells.
std::string first_cells(std::string_view text, std::size_t width);
// Return the text aligned to the left or right in exactly `width` cells: padded with blanks, or
// cut, with "~" at the end.
std::string left(std::string_view text, std::size_t width);
std::string right(std::string_view text, std::size_t width);
// Breaks text at blanks into lines of at most `width` cells.
std::vector<std::string> wrapped(std::string_view text, std::size_t width);

// The meaning of a piece of text, which determines its color.
enum class Tone { kPlain, kTitle, kDim, kGood, kWarn, kBad, kBar, kGraph, kKey };

struct Span {
  std::string text;
  Tone tone = Tone::kPlain;
};

// A line of the screen: pieces of text with their tones.
class Line {
 public:
  Line() = default;
  Line(std::string text, Tone tone = Tone::kPlain) { add(std::move(text), tone); }
  Line& add(std::string text, Tone tone = Tone::kPlain);
  Line& add(const Line& more);
  // Pads or cuts the line to exactly `width` cells.
  Line& fit(std::size_t width);
  std::size_t cells() const;
  std::string text() const;
  const std::vector<Span>& spans() const { return spans_; }

 private:
  std::vector<Span> spans_;
};

}  // namespace ridgewatt::screen
