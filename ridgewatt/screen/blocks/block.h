// The blocks of the terminal view. A block has a title and lines for a given width, the most
// important lines first, so that a block with little space can be cut at its end.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ridgewatt/screen/scene.h"

namespace ridgewatt::screen {

struct Block {
  Line title = {};
  std::vector<Line> lines = {};
  // Least number of lines that are useful. With less space, the block is left out.
  std::size_t least = 0;
  std::size_t pinned = 0;  // lines at the end that are never cut (a total)
};

// Power, mean, energy and energy error per rail and in total, or the reason why there is no power.
Block power_block(const Scene& scene, std::size_t width);
// Graphs over time, each with `rows` lines.
Block trend_block(const Scene& scene, std::size_t width, std::size_t rows);
// Number of graphs in trend_block().
std::size_t trend_count(const Scene& scene);
// Clocks and their limits.
Block clock_block(const Scene& scene, std::size_t width);
// Load of CPUs and GPU, and memory use.
Block load_block(const Scene& scene, std::size_t width);
// Temperatures and fans.
Block heat_block(const Scene& scene, std::size_t width);
Block throttling_block(const Scene& scene, std::size_t width);
Block window_block(const Scene& scene, std::size_t width);
Block process_block(const Scene& scene, std::size_t width);

// Returns the title line of a block: the name at the left and, at the right, `right_text`, cut if
// necessary.
Line title_line(const std::string& name, const std::string& right_text, std::size_t width);
// "12.34", "123.4"; "-" if absent or not finite.
std::string watt_text(const std::optional<double>& power_w);
// "1.234 kJ"; "-" if not finite.
std::string joule_text(double energy_j, int digits);
// "0:12:31"; "-" for an invalid time.
std::string time_text(double time_s);
// "±", or "+-" in ASCII.
std::string plus_minus(Glyphs glyphs);
// "78 %"; "-" for NaN.
std::string percent_text(double share);

}  // namespace ridgewatt::screen
