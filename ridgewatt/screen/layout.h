// Lays out a scene on a screen of a given size as lines of styled text. Pure functions, which can
// be tested without a terminal.
//
//   for (const Line& line : lay_out(scene, dialog, message, {80, 24})) draw(line);
//
// Widths below 60 have one column, below 150 two, otherwise three. Blocks that do not fit are left
// out, the least important first, and the last line says so.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ridgewatt/screen/cells.h"
#include "ridgewatt/screen/dialog.h"
#include "ridgewatt/screen/scene.h"

namespace ridgewatt::screen {

// Size in cells.
struct Size {
  std::size_t width = 80, height = 24;
};

// A recent message, shown in place of the keys.
struct Message {
  std::string text = {};
  Tone tone = Tone::kPlain;
};

// Returns exactly `size.height` lines of exactly `size.width` cells.
std::vector<Line> lay_out(const Scene& scene, const Dialog& dialog, const Message& message,
                          Size size);
// Returns all blocks, from top to bottom, for a pipe or a file.
std::string plain_text(const Scene& scene, std::size_t width = 100);

// Distributes `total` lines over parts that each use between `least` and `most` lines, in the order
// of their priority. A part gets no line if its minimum does not fit.
struct Wish {
  std::size_t least = 0, most = 0;
};
std::vector<std::size_t> share_lines(const std::vector<Wish>& wishes, std::size_t total);

}  // namespace ridgewatt::screen
