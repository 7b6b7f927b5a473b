// Reads operating points from a CSV file with knob columns and an optional batch column. Every
// sweep is such a file. Also checks whether the rows of a sweep have a batch.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/sweep/observation.h"
#include "ridgewatt/sweep/sweep.h"

namespace ridgewatt {

// Throws InputError, with file, line and column, for an invalid value, and if the file has none of
// these columns or no rows. Other columns are ignored.
std::vector<OperatingPoint> read_points(const std::string& path);

// The cost of a model differs from batch to batch. Throws InputError, with file and line, if a row
// of a sweep that is compared with a model has no batch.
void require_batches(const Sweep& sweep);

}  // namespace ridgewatt
