// Compares the presets of a board with its other modes: for each preset, how many modes are better
// in both of two costs, and which of these modes is best. Compares methods of choosing a mode by
// their total cost in several training scenarios.
//
//   const auto presets = preset_standings(measured_points(sweep), "agx-orin", FrontCost::kTime,
//                                         FrontCost::kPower);
//   if (presets.front().better > 0) ...  // MAXN is not Pareto optimal
//
// Points are compared at the same batch. A preset is represented by the point nearest to it in its
// knobs. Other settings of a preset, such as disabled multiprocessors, have no effect on the
// figures.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/answer/predict.h"
#include "ridgewatt/predict/advice.h"

namespace ridgewatt::answer {

struct PresetStanding {
  // "MAXN"; "near MODE_30W" if no point has exactly the knobs of the preset; "highest mode" if the
  // highest mode is not a preset.
  std::string name;
  int sms_off = 0;  // multiprocessors that the preset disables
  OperatingPoint point;
  predict::Prediction cost;
  RowOrigin origin;
  std::size_t better = 0;  // number of points at this batch that cost less in both
  struct Better {
    OperatingPoint point;
    predict::Prediction cost;
  };
  std::optional<Better> best;  // of these: the smallest product of both costs
};

// Returns the highest mode of the points, then the board's presets in their order, each at every
// batch of the points. Leaves out presets that no point represents; throws UsageError if none
// remains.
std::vector<PresetStanding> preset_standings(const PredictAnswer& all, const std::string& device,
                                             FrontCost first, FrontCost second);

struct ScenarioCost {
  std::string scenario;
  predict::MethodCost cost;  // `method.modes` is the number of profiled modes
};
// Returns a row for each scenario and method, with the methods in the order of
// predict::compare_methods. Throws the errors of predict::compare_methods().
std::vector<ScenarioCost> advise(const std::vector<predict::TrainingScenario>& scenarios,
                                 const predict::ProfilingCost& profiling);

}  // namespace ridgewatt::answer
