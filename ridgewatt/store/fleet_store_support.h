// Test helper: creates a store with points of three boards of the same kind, one of which takes
// three times as long.
#pragma once

#include <string>

#include "ridgewatt/store/store.h"

namespace ridgewatt::testing {

inline void make_fleet_store(const std::string& path) {
  store::Store store(path);
  const double factor[] = {1.02, 1, 3};
  for (int board = 0; board < 3; ++board) {
    const auto series = store.series({"orin-nano-8gb", "resnet18", "training",
                                      Provenance::kMeasured, "orin" + std::to_string(board + 1)});
    for (int number = 0; number < 6; ++number) {
      store::PointRecord point;
      point.observation.point = {{6, 1510.4e6, 306e6 + 63.75e6 * number, 2133e6, ""}, 16};
      point.observation.time_s = factor[board] * (0.5 - 0.06 * number);
      point.observation.power_w = (board == 1 ? 0.97 : 1) * (7 + 0.5 * number);
      // Adds deviations, which nearly cancel over boards and points, to the constant factors.
      point.observation.time_s *= 1 + 0.004 * ((board + 2 * number) % 3 - 1);
      store.add(series, point);
    }
  }
}

}  // namespace ridgewatt::testing
