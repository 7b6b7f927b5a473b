// Lays out a scene on a screen of a given size as lines of styled text. Pure, so that it can be
// tested without a terminal.
//
//   for (const Line& line : lay_out(scene, dialog, message, {80, 24})) draw(line);
//
// Widths below 60 get one column, below 150 two, above three. Blocks that do not fit are left out,
// the least important first, and the last line reports it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ridgewatt/screen/cells.h"
#include "ridgewatt/screen/dialog.h"
#include "ridgewatt/screen/scene.h"

namespace ridgewatt::screen {

struct Size {
  std::size_t width = 80, height = 24;
};

// A recent message, in place of the line of keys.
struct Message {
  std::string text = {};
  Tone tone = Tone::kPlain;
};

// Exactly `size.height` lines of exactly `size.width` cells.
std::vector<Line> lay_out(const Scene& scene, const Dialog& dialog, const Message& message,
                          Size size);
// All blocks, from top to bottom, for a pipe or a file.
std::string plain_text(const Scene& scene, std::size_t width = 100);

// Distributes `total` lines over parts that need between `least` and `most` lines: the first part
// is served first. A part gets nothing if its minimum does not fit.
struct Wish {
  std::size_t least = 0, most = 0;
};
std::vector<std::size_t> share_lines(const std::vector<Wish>& wishes, std::size_t total);

}  // namespace ridgewatt::screen
