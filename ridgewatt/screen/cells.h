// Text in the cells of a terminal: how many it takes, and cutting or filling it to a width. Names
// come from outside (rails, processes, windows): what could move the cursor, has no width of its
// own or an uncertain one never reaches the terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ridgewatt::screen {

enum class Glyphs { kBraille, kBlocks, kAscii };

// Control characters and malformed UTF-8 as \xNN, marks without a width left out, characters of
// uncertain width as "?"; with kAscii everything else that is not ASCII too.
std::string harmless(std::string_view text, Glyphs glyphs = Glyphs::kBraille);

// Cells of harmless text: wide characters take two.
std::size_t cells(std::string_view text);
// The longest beginning of harmless text with at most `width` cells.
std::string first_cells(std::string_view text, std::size_t width);
// Exactly `width` cells: filled with blanks, or cut and ended with "~".
std::string left(std::string_view text, std::size_t width);
std::string right(std::string_view text, std::size_t width);
// At blanks, lines of at most `width` cells.
std::vector<std::string> wrapped(std::string_view text, std::size_t width);

// What a piece of text is, to be colored.
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
