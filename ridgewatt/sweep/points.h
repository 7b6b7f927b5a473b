// Reads operating points from a CSV file with knob columns and an optional batch column. Every
// sweep is such a file.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/sweep/observation.h"

namespace ridgewatt {

// Throws InputError, with file, line and column, for an invalid value, and if the file has none of
// these columns or no rows. Other columns are ignored.
std::vector<OperatingPoint> read_points(const std::string& path);

}  // namespace ridgewatt
