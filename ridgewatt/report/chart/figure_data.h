// The numbers of a figure as a table, for readers who cannot see it or want the numbers.
#pragma once

#include <string>

#include "ridgewatt/report/figure.h"
#include "ridgewatt/report/table.h"

namespace ridgewatt::report {

struct FigureData {
  Table table;
  std::string caption;  // "Data of the figure", and what is omitted
};

// From a long series, lists evenly spaced points, with a note in the caption. If `linked`, series
// whose points are rows of a linked table are omitted.
FigureData figure_data(const Figure& figure, bool linked = false);

}  // namespace ridgewatt::report
