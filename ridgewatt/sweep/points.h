// Reads operating points from a CSV file with knob columns and an optional batch column; every
// sweep is such a file.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/sweep/observation.h"

namespace ridgewatt {

// Throws InputError with file, line and column. Columns other than knobs, batch and governor are
// ignored.
std::vector<OperatingPoint> read_points(const std::string& path);

}  // namespace ridgewatt
