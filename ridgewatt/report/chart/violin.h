// The outline of a distribution, for static and interactive figures alike.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "ridgewatt/report/chart/axis.h"
#include "ridgewatt/report/figure.h"

namespace ridgewatt::report {

struct Violin {
  std::vector<std::pair<double, double>> outline;  // value, density from -1 to 1 of its peak
  double lower = 0;                                // quartiles and median
  double middle = 0;
  double upper = 0;
};
// Of the values that the scale can show; nullopt: none.
std::optional<Violin> violin_of(const std::vector<double>& values, const Scale& scale);
// The range of the value axis: its own limits, else the data's with some room.
Range violin_range(const ViolinPlot& plot);
// The end of the value axis of bars.
double bars_top(const StackedBars& bars);

}  // namespace ridgewatt::report
