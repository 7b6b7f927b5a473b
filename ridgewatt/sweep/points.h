// Operating points from a file: the rows of a CSV with knob columns and perhaps batch, of which any
// sweep is an example.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/sweep/observation.h"

namespace ridgewatt {

// Throws InputError naming file, line and column; other columns than knobs, batch and governor are
// not read.
std::vector<OperatingPoint> read_points(const std::string& path);

}  // namespace ridgewatt
