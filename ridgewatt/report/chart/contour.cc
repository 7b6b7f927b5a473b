#include "ridgewatt/report/chart/contour.h"

#include <algorithm>
#include <cmath>

namespace ridgewatt::report {
namespace {

constexpr std::size_t kMostPlaces = 12;

void march(const HeatMap& map, double level, ContourLine& line) {
  static constexpr int kCorner[5][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}};
  for (std::size_t row = 0; row + 1 < map.y.size(); ++row) {
    for (std::size_t column = 0; column + 1 < map.x.size(); ++column) {
      std::vector<MapPoint> crossings;
      const auto value = [&](const int(&corner)[2]) {
        return map.values[row + static_cast<std::size_t>(corner[1])]
                         [column + static_cast<std::size_t>(corner[0])];
      };
      for (int edge = 0; edge < 4; ++edge) {
        const double a = value(kCorner[edge]);
        const double b = value(kCorner[edge + 1]);
        if (!std::isfinite(a) || !std::isfinite(b) || (a < level) == (b < level)) continue;
        const double t = (level - a) / (b - a);
        const auto [dx0, dy0] = kCorner[edge];
        const auto [dx1, dy1] = kCorner[edge + 1];
        crossings.push_back({static_cast<double>(column) + dx0 + t * (dx1 - dx0),
                             static_cast<double>(row) + dy0 + t * (dy1 - dy0)});
      }
      for (std::size_t i = 0; i + 1 < crossings.size(); i += 2) {
        line.segments.emplace_back(crossings[i], crossings[i + 1]);
      }
    }
  }
}

// Chooses label positions on segments that are evenly spaced in order of column and row.
void find_places(ContourLine& line) {
  std::vector<MapPoint> middles;
  for (const auto& [a, b] : line.segments) {
    middles.push_back({(a.column + b.column) / 2, (a.row + b.row) / 2});
  }
  std::sort(middles.begin(), middles.end(), [](const auto& a, const auto& b) {
    return std::pair(a.column, a.row) < std::pair(b.column, b.row);
  });
  const std::size_t count = std::min(kMostPlaces, middles.size());
  // Order the positions from the middle outwards.
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t half = (i + 1) / 2;
    const std::size_t at = i % 2 == 0 ? count / 2 + half : count / 2 - half;
    if (at < count) line.places.push_back(middles[at * middles.size() / count]);
  }
}

}  // namespace

std::vector<ContourLine> contour_lines(const HeatMap& map) {
  std::vector<ContourLine> lines;
  for (const auto& contour : map.contours) {
    ContourLine line{contour.text, {}, {}};
    march(map, contour.value, line);
    if (line.segments.empty()) continue;
    find_places(line);
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace ridgewatt::report
