#include "ridgewatt/tune/knob_plane.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ridgewatt::tune {
namespace {

TEST(KnobPlane, FindsWhatHasItsShape) {
  std::vector<OperatingPoint> points;
  for (const int cores : {4, 8}) {
    for (const double cpu_hz : {5e8, 1e9, 2e9}) {
      for (const double gpu_hz : {3e8, 6e8, 1.2e9}) {
        PowerMode mode;
        mode.cpu_cores = cores;
        mode.cpu_clock_hz = cpu_hz;
        mode.gpu_clock_hz = gpu_hz;
        points.push_back({mode, 0});
      }
    }
  }
  const SearchSpace space(points);
  using Shape = KnobPlane::Shape;
  const auto truth = [&](Shape shape, std::size_t i) {
    const PowerMode& mode = space[i].mode;
    const double cpu = mode.cpu_clock_hz / 2e9, gpu = mode.gpu_clock_hz / 1.2e9;
    if (shape == Shape::kReciprocals) return 0.01 + 0.02 / cpu + 0.05 / gpu;
    if (shape == Shape::kShares) return 5 + 3 * cpu + 20 * gpu;
    return 30 * std::pow(cpu, 0.3) * std::pow(gpu, 1.5);
  };
  for (const Shape shape : {Shape::kReciprocals, Shape::kShares, Shape::kPowerLaw}) {
    KnobPlane plane(shape);
    for (std::size_t i = 0; i < space.size(); i += 2) {
      plane.add(KnobPlane::row(shape, space, i), truth(shape, i), 1);
    }
    plane.fit();
    for (std::size_t i = 0; i < space.size(); ++i) {
      const double expected = truth(shape, i);
      EXPECT_NEAR(plane.at(KnobPlane::row(shape, space, i)), expected, 0.01 * expected);
    }
  }
}

}  // namespace
}  // namespace ridgewatt::tune
