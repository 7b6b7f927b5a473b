// Computes lines of equal value in a heat map, for static and interactive figures.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ridgewatt/report/figure.h"

namespace ridgewatt::report {

// A position in fractional indices: column of the map's x, row of its y.
struct MapPoint {
  double column = 0;
  double row = 0;
};

struct ContourLine {
  std::string text;  // the label
  std::vector<std::pair<MapPoint, MapPoint>> segments;
  // Positions for the label, the best first: on the line, far from its ends.
  std::vector<MapPoint> places;
};

// Marching squares over the centers of four cells, with linear interpolation on each crossed edge.
// A contour without a crossing is omitted.
std::vector<ContourLine> contour_lines(const HeatMap& map);

}  // namespace ridgewatt::report
