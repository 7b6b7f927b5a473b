// Knowledge about time and power at any operating point from another source: a profiled sweep of
// another workload, or a twin's model of this workload. The few-shot predictor learns from it how
// time and power depend on the mode.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ridgewatt/sweep/observation.h"

namespace ridgewatt::predict {

// Returns time (s) and power (W) at each point.
using ReferenceFunction =
    std::function<std::vector<Observation>(std::span<const OperatingPoint> points)>;

struct Reference {
  std::string name;
  ReferenceFunction at;
  // The points where the reference is most accurate: those of the sweep, or the modes of the board.
  std::vector<OperatingPoint> points;
  bool other_workload = false;  // false: a model of this workload
};

// A reference from measured rows. It is exact at these rows; elsewhere it is the mean of the
// nearest rows, weighted by inverse squared distance in the logarithms of the knobs.
Reference reference_from_rows(std::string name, std::vector<Observation> rows);

}  // namespace ridgewatt::predict
