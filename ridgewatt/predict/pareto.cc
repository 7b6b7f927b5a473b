#include "ridgewatt/predict/pareto.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ridgewatt/base/error.h"

namespace ridgewatt::predict {

std::vector<std::size_t> pareto_front(std::span<const double> first,
                                      std::span<const double> second) {
  if (first.size() != second.size())
    throw UsageError("a Pareto front needs both costs of each point");
  struct Point {
    double first, second;
    std::size_t index;
  };
  std::vector<Point> points;
  points.reserve(first.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (std::isfinite(first[i]) && std::isfinite(second[i])) {
      points.push_back({first[i], second[i], i});
    }
  }
  std::sort(points.begin(), points.end(), [](const Point& a, const Point& b) {
    if (a.first != b.first) return a.first < b.first;
    return a.second != b.second ? a.second < b.second : a.index < b.index;
  });
  std::vector<std::size_t> front;
  double least = std::numeric_limits<double>::infinity();
  for (const auto& point : points) {
    if (point.second >= least) continue;
    least = point.second;
    front.push_back(point.index);
  }
  return front;
}

Dominance dominance(std::span<const double> first, std::span<const double> second,
                    std::size_t index) {
  if (first.size() != second.size())
    throw UsageError("the comparison of points needs both costs of each point");
  Dominance found;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (!(first[i] < first[index] && second[i] < second[index])) continue;
    ++found.points;
    if (!found.best || first[i] * second[i] < first[*found.best] * second[*found.best]) {
      found.best = i;
    }
  }
  return found;
}

}  // namespace ridgewatt::predict
