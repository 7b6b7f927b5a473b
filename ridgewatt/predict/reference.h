// Knowledge about a related workload at any operating point: a profiled sweep, or a twin's model of
// this very workload. The few-shot predictor learns from it how time and power depend on the mode.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ridgewatt/sweep/observation.h"

namespace ridgewatt::predict {

// Time (s) and power (W) at each point.
using ReferenceFunction =
    std::function<std::vector<Observation>(std::span<const OperatingPoint> points)>;

struct Reference {
  std::string name;
  ReferenceFunction at;
  // The points at which the reference is most accurate: those of the sweep, or the board's modes.
  std::vector<OperatingPoint> points;
  bool other_workload = false;  // false: a model of this workload
};

// A reference from measured rows: exact at its rows, elsewhere the mean of the nearest rows
// weighted by inverse squared distance in the logarithms of the knobs.
Reference reference_from_rows(std::string name, std::vector<Observation> rows);

}  // namespace ridgewatt::predict
