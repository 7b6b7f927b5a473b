// Bars and small graphs made of characters.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "ridgewatt/screen/cells.h"

namespace ridgewatt::screen {

// A bar of exactly `width` cells, `share` of it filled: 0..1, above 1 is full, NaN is empty.
std::string bar(double share, std::size_t width, Glyphs glyphs);

// One character for a value of 0..1: eighths of a cell, or a digit from 0 to 9.
std::string level(double share, Glyphs glyphs);

// Number of points in a graph of `width` cells: braille has two columns per cell.
std::size_t graph_points(std::size_t width, Glyphs glyphs);

// The newest points of `values` as columns from the bottom, `rows` lines of exactly `width` cells,
// the newest at the right. `low` is the bottom and `high` the top; NaN leaves a gap.
std::vector<std::string> graph(std::span<const double> values, double low, double high,
                               std::size_t width, std::size_t rows, Glyphs glyphs);

}  // namespace ridgewatt::screen
