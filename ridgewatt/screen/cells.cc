#include "ridgewatt/screen/cells.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "ridgewatt/base/text.h"

namespace ridgewatt::screen {
namespace {

struct CodeRange {
  std::uint32_t first, last;
};

// Characters of width zero: combining marks, joiners, direction marks (Unicode 15, categories Mn
// and Cf of the scripts below).
constexpr std::array<CodeRange, 13> kMarks = {{{0x00AD, 0x00AD},
                                               {0x0300, 0x036F},
                                               {0x0483, 0x0489},
                                               {0x061C, 0x061C},
                                               {0x180B, 0x180F},
                                               {0x1AB0, 0x1AFF},
                                               {0x1DC0, 0x1DFF},
                                               {0x200B, 0x200F},
                                               {0x2028, 0x202E},
                                               {0x2060, 0x206F},
                                               {0x20D0, 0x20FF},
                                               {0xFE00, 0xFE0F},
                                               {0xFEFF, 0xFEFF}}};
// Characters of one cell in every terminal: Latin, Greek, Cyrillic; punctuation, arrows,
// mathematical symbols, box drawing and braille.
constexpr std::array<CodeRange, 8> kNarrow = {{{0x20, 0x7E},
                                               {0xA0, 0x052F},
                                               {0x1E00, 0x1FFF},
                                               {0x2010, 0x2027},
                                               {0x2030, 0x205E},
                                               {0x20A0, 0x20C0},
                                               {0x2100, 0x23FF},
                                               {0x2500, 0x28FF}}};
// Characters of two cells (East Asian Width W or F).
constexpr std::array<CodeRange, 9> kWide = {{{0x1100, 0x115F},
                                             {0x2E80, 0x3029},
                                             {0x3030, 0x303E},
                                             {0x3041, 0x3096},
                                             {0x309B, 0x30FF},
                                             {0x3400, 0x4DBF},
                                             {0x4E00, 0x9FFF},
                                             {0xAC00, 0xD7A3},
                                             {0xFF01, 0xFF60}}};

template <std::size_t N>
bool within(const std::array<CodeRange, N>& ranges, std::uint32_t code) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const CodeRange& range) {
    return code >= range.first && code <= range.last;
  });
}

// The first character of well-formed UTF-8, and its length in bytes.
struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 1;
};

Character character_at(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0x80u;
  };
  const std::uint32_t lead = byte(0);
  if (lead < 0xC0) return {lead, 1};
  if (lead < 0xE0) return {(lead & 0x1F) << 6 | (byte(1) & 0x3F), 2};
  if (lead < 0xF0) return {(lead & 0xF) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F), 3};
  return {(lead & 7) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F), 4};
}

std::size_t width_of(std::uint32_t code) {
  return within(kWide, code) ? 2 : 1;
}

}  // namespace

std::string harmless(std::string_view text, Glyphs glyphs) {
  const std::string clean = escape_terminal(text);
  std::string out;
  for (std::string_view rest = clean; !rest.empty();) {
    const auto [code, bytes] = character_at(rest);
    const std::string_view character = rest.substr(0, bytes);
    rest.remove_prefix(std::min(bytes, rest.size()));
    if (within(kMarks, code)) continue;
    const bool known = within(kNarrow, code) || within(kWide, code);
    const bool shown = code < 0x80 || (known && glyphs != Glyphs::kAscii);
    out += shown ? character : "?";
  }
  return out;
}

std::size_t cells(std::string_view text) {
  std::size_t count = 0;
  while (!text.empty()) {
    const auto [code, bytes] = character_at(text);
    count += width_of(code);
    text.remove_prefix(std::min(bytes, text.size()));
  }
  return count;
}

std::string first_cells(std::string_view text, std::size_t width) {
  std::size_t used = 0;
  std::string_view rest = text;
  while (!rest.empty()) {
    const auto [code, bytes] = character_at(rest);
    used += width_of(code);
    if (used > width) break;
    rest.remove_prefix(std::min(bytes, rest.size()));
  }
  return std::string(text.substr(0, text.size() - rest.size()));
}

std::string left(std::string_view text, std::size_t width) {
  const std::size_t count = cells(text);
  if (count <= width) return std::string(text) + std::string(width - count, ' ');
  if (width == 0) return "";
  std::string cut = first_cells(text, width - 1);
  cut += std::string(width - 1 - cells(cut), ' ');  // a wide character may have been cut in half
  return cut + "~";
}

std::string right(std::string_view text, std::size_t width) {
  const std::size_t count = cells(text);
  return count < width ? std::string(width - count, ' ') + std::string(text) : left(text, width);
}

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  std::string line;
  for (const auto& word : words_of(text)) {
    const std::size_t more = cells(word) + (line.empty() ? 0 : 1);
    if (!line.empty() && cells(line) + more > width) lines.push_back(std::exchange(line, ""));
    line += (line.empty() ? "" : " ") + word;
  }
  if (!line.empty()) lines.push_back(line);
  for (auto& one : lines) one = cells(one) > width ? left(one, width) : one;
  return lines;
}

Line& Line::add(std::string text, Tone tone) {
  if (!text.empty()) spans_.push_back({std::move(text), tone});
  return *this;
}

Line& Line::add(const Line& more) {
  spans_.insert(spans_.end(), more.spans_.begin(), more.spans_.end());
  return *this;
}

Line& Line::fit(std::size_t width) {
  std::size_t used = 0;
  for (std::size_t i = 0; i < spans_.size(); ++i) {
    const std::size_t count = screen::cells(spans_[i].text);
    if (used + count > width) {
      spans_[i].text = left(spans_[i].text, width - used);
      spans_.resize(i + 1);
      return *this;
    }
    used += count;
  }
  return add(std::string(width - used, ' '));
}

std::size_t Line::cells() const {
  std::size_t count = 0;
  for (const auto& span : spans_) count += screen::cells(span.text);
  return count;
}

std::string Line::text() const {
  std::string text;
  for (const auto& span : spans_) text += span.text;
  return text;
}

}  // namespace ridgewatt::screen
