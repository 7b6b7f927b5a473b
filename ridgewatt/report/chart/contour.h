// Lines of equal value in a heat map, for static and interactive figures alike.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ridgewatt/report/figure.h"

namespace ridgewatt::report {

// In fractional indices: column of the map's x, row of its y.
struct MapPoint {
  double column = 0;
  double row = 0;
};

struct ContourLine {
  std::string text;  // what the line carries
  std::vector<std::pair<MapPoint, MapPoint>> segments;
  // Places for the text, best first: on the line, far from its ends.
  std::vector<MapPoint> places;
};

// By marching over squares of four cell centers; on each edge that the level crosses the crossing
// is interpolated. Contours that cross nothing are left out.
std::vector<ContourLine> contour_lines(const HeatMap& map);

}  // namespace ridgewatt::report
