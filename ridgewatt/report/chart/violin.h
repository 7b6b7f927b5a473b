// Computes the outline of a distribution, for static and interactive figures.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "ridgewatt/report/chart/axis.h"
#include "ridgewatt/report/figure.h"

namespace ridgewatt::report {

struct Violin {
  // Values, and densities from -1 to 1 relative to the peak.
  std::vector<std::pair<double, double>> outline;
  double lower = 0;  // quartiles and median
  double middle = 0;
  double upper = 0;
};
// Returns the outline for the values that the scale can show. Empty if there are none.
std::optional<Violin> violin_of(const std::vector<double>& values, const Scale& scale);
// The range of the value axis: its limits if set, otherwise that of the data with a margin.
Range violin_range(const ViolinPlot& plot);
// The upper end of the value axis of stacked bars.
double bars_top(const StackedBars& bars);

}  // namespace ridgewatt::report
