// What stands around the blocks: the header, the line of keys, and pages that stand over them.
#pragma once

#include <cstddef>
#include <vector>

#include "ridgewatt/screen/layout.h"

namespace ridgewatt::screen {

// Two lines: what is watched and with what provenance; its mode.
std::vector<Line> header_lines(const Scene& scene, std::size_t width);
// A question, a message, or the keys. `cut`: something had no room.
Line footer_line(const Scene& scene, const Dialog& dialog, const Message& message, bool cut,
                 Size size);
// Help, or the list of presets.
std::vector<Line> page_lines(const Scene& scene, const Dialog& dialog, std::size_t width);

}  // namespace ridgewatt::screen
