// Access to published figures of papers and of the project's benchmarks: the files of
// studies/published/, which are embedded in the library.
//
//   CsvReader csv = open_published("training_scenarios.csv");
//   while (csv.next()) ...
#pragma once

#include <string_view>

#include "ridgewatt/io/csv_reader.h"

namespace ridgewatt {

// Throws NotFoundError if there is no such file.
CsvReader open_published(std::string_view name);

}  // namespace ridgewatt
