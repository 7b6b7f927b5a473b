// The lines around the blocks: the header, the footer with the keys, and pages that cover the
// blocks.
#pragma once

#include <cstddef>
#include <vector>

#include "ridgewatt/screen/layout.h"

namespace ridgewatt::screen {

// Returns two lines: the machine with its provenance, and its mode.
std::vector<Line> header_lines(const Scene& scene, std::size_t width);
// Returns a question to the user, a message, or the keys. `cut` means that some blocks did not fit.
Line footer_line(const Scene& scene, const Dialog& dialog, const Message& message, bool cut,
                 Size size);
// Returns the help, or the list of presets.
std::vector<Line> page_lines(const Scene& scene, const Dialog& dialog, std::size_t width);

}  // namespace ridgewatt::screen
