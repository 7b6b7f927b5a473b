// The frame of the blocks: the header, the line of keys, and pages that cover them.
#pragma once

#include <cstddef>
#include <vector>

#include "ridgewatt/screen/layout.h"

namespace ridgewatt::screen {

// Two lines: the watched machine with its provenance; its mode.
std::vector<Line> header_lines(const Scene& scene, std::size_t width);
// A question, a message, or the keys. `cut`: something did not fit.
Line footer_line(const Scene& scene, const Dialog& dialog, const Message& message, bool cut,
                 Size size);
// Help, or the list of presets.
std::vector<Line> page_lines(const Scene& scene, const Dialog& dialog, std::size_t width);

}  // namespace ridgewatt::screen
