#include "ridgewatt/screen/graph.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ridgewatt::screen {
namespace {

constexpr std::array<const char*, 9> kEighths = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

double within_one(double share) {
  return std::isnan(share) ? 0 : std::clamp(share, 0.0, 1.0);
}

// U+2800 plus dots: bits 0, 1, 2, 6 are the left column from the top; 3, 4, 5, 7 the right column.
std::string braille(int left_dots, int right_dots) {
  static constexpr std::array<int, 5> kLeft = {0, 0x40, 0x44, 0x46, 0x47};
  static constexpr std::array<int, 5> kRight = {0, 0x80, 0xA0, 0xB0, 0xB8};
  const int code = 0x2800 + kLeft[static_cast<std::size_t>(left_dots)] +
                   kRight[static_cast<std::size_t>(right_dots)];
  return {static_cast<char>(0xE0 | code >> 12), static_cast<char>(0x80 | (code >> 6 & 0x3F)),
          static_cast<char>(0x80 | (code & 0x3F))};
}

// Number of steps in the height of a cell.
int steps_per_cell(Glyphs glyphs) {
  return glyphs == Glyphs::kBraille ? 4 : glyphs == Glyphs::kBlocks ? 8 : 2;
}

std::string column_character(int steps, Glyphs glyphs) {
  if (glyphs == Glyphs::kBlocks) return kEighths[static_cast<std::size_t>(steps)];
  return steps == 0 ? " " : steps == 1 ? "." : ":";
}

}  // namespace

std::string bar(double share, std::size_t width, Glyphs glyphs) {
  const double filled = within_one(share) * static_cast<double>(width);
  const auto whole = static_cast<std::size_t>(std::round(filled));
  std::string text;
  for (std::size_t i = 0; i < width; ++i) {
    if (glyphs == Glyphs::kAscii)
      text += i < whole ? '#' : '.';
    else
      text += i < whole ? "█" : "░";
  }
  return text;
}

std::string level(double share, Glyphs glyphs) {
  if (std::isnan(share)) return "?";
  const double value = within_one(share);
  if (glyphs == Glyphs::kAscii)
    return std::string(1, static_cast<char>('0' + std::min(9, static_cast<int>(value * 10))));
  return kEighths[static_cast<std::size_t>(std::clamp(std::ceil(value * 8), 1.0, 8.0))];
}

std::size_t graph_points(std::size_t width, Glyphs glyphs) {
  return glyphs == Glyphs::kBraille ? 2 * width : width;
}

std::vector<std::string> graph(std::span<const double> values, double low, double high,
                               std::size_t width, std::size_t rows, Glyphs glyphs) {
  const std::size_t points = graph_points(width, glyphs);
  const int per_cell = steps_per_cell(glyphs);
  const int steps = per_cell * static_cast<int>(rows);
  // Height of each column in steps: at least one for a value, so that it differs from a gap.
  std::vector<int> heights(points, 0);
  const std::size_t shown = std::min(points, values.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const double value = values[values.size() - shown + i];
    if (!std::isfinite(value)) continue;
    const double share = high > low ? within_one((value - low) / (high - low)) : 0;
    heights[points - shown + i] = std::max(1, static_cast<int>(std::round(share * steps)));
  }
  std::vector<std::string> lines(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    const int below = per_cell * static_cast<int>(rows - 1 - row);
    const auto in_cell = [&](std::size_t i) { return std::clamp(heights[i] - below, 0, per_cell); };
    for (std::size_t i = 0; i < points; ++i) {
      if (glyphs != Glyphs::kBraille) {
        lines[row] += column_character(in_cell(i), glyphs);
      } else if (i % 2 == 1) {
        lines[row] += braille(in_cell(i - 1), in_cell(i));
      }
    }
  }
  return lines;
}

}  // namespace ridgewatt::screen
