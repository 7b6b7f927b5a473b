// Which method of choosing a power mode pays off in which scenario (predict/advice.h).
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/predict/advice.h"

namespace ridgewatt::answer {

struct ScenarioCost {
  std::string scenario;
  predict::MethodCost cost;  // `method.modes`: number of profiled modes, never 0
};
// The methods for each scenario. Throws what predict::compare_methods throws.
std::vector<ScenarioCost> advise(const std::vector<predict::TrainingScenario>& scenarios,
                                 const predict::ProfilingCost& profiling);

}  // namespace ridgewatt::answer
