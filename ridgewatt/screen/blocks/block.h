// The blocks of the screen: each has a title and lines for a given width, the most important first,
// so that a block with little space is cut at its end.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ridgewatt/screen/scene.h"

namespace ridgewatt::screen {

struct Block {
  Line title = {};
  std::vector<Line> lines = {};
  std::size_t least = 0;   // lines that are useful on their own; with fewer the block is left out
  std::size_t pinned = 0;  // lines at the end that stay when others are cut (a total)
};

// Rails with power, mean, energy and its error; the total. Or the reason for having no power.
Block power_block(const Scene& scene, std::size_t width);
// Graphs over time, each of `rows` lines.
Block trend_block(const Scene& scene, std::size_t width, std::size_t rows);
std::size_t trend_count(const Scene& scene);
// Clocks and their limits.
Block clock_block(const Scene& scene, std::size_t width);
// Processors, GPU, memory.
Block load_block(const Scene& scene, std::size_t width);
// Temperatures and fans.
Block heat_block(const Scene& scene, std::size_t width);
Block throttling_block(const Scene& scene, std::size_t width);
Block window_block(const Scene& scene, std::size_t width);
Block process_block(const Scene& scene, std::size_t width);

// The line of a title: its name, then the text that fits at the right.
Line title_line(const std::string& name, const std::string& right_text, std::size_t width);
// "12.34", "123.4"; "-" without a finite value.
std::string watt_text(const std::optional<double>& power_w);
// "1.234 kJ"; "-" without a finite value.
std::string joule_text(double energy_j, int digits);
// "0:12:31"; "-" for an invalid time.
std::string time_text(double time_s);
std::string plus_minus(Glyphs glyphs);
// "78 %", "-" for NaN.
std::string percent_text(double share);

}  // namespace ridgewatt::screen
