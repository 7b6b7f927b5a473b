// A figure's numbers as a table, for who cannot see it or wants the numbers.
#pragma once

#include <string>

#include "ridgewatt/report/figure.h"
#include "ridgewatt/report/table.h"

namespace ridgewatt::report {

struct FigureData {
  Table table;
  std::string caption;  // "Data of the figure", and what of it is left out
};

// Long series are listed by evenly spread points, which the caption says. Series whose points are
// rows of a linked table are left out when `linked`.
FigureData figure_data(const Figure& figure, bool linked = false);

}  // namespace ridgewatt::report
