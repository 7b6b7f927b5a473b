// Bars and small graphs made of characters.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "ridgewatt/screen/cells.h"

namespace ridgewatt::screen {

// Returns a bar of exactly `width` cells. `share` is the filled part, from 0 to 1; above 1 the bar
// is full, for NaN it is empty.
std::string bar(double share, std::size_t width, Glyphs glyphs);

// Returns one character for a value from 0 to 1: eighths of a cell, or a digit from 0 to 9.
std::string level(double share, Glyphs glyphs);

// Number of points in a graph of `width` cells. Braille characters have two columns per cell.
std::size_t graph_points(std::size_t width, Glyphs glyphs);

// Draws the newest points of `values` as columns, the newest at the right, in `rows` lines of
// exactly `width` cells. `low` and `high` are the values at the bottom and at the top. NaN leaves a
// gap.
std::vector<std::string> graph(std::span<const double> values, double low, double high,
                               std::size_t width, std::size_t rows, Glyphs glyphs);

}  // namespace ridgewatt::screen
