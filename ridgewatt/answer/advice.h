// Compares methods of choosing a power mode by their total cost in several training scenarios
// (predict/advice.h).
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/predict/advice.h"

namespace ridgewatt::answer {

struct ScenarioCost {
  std::string scenario;
  predict::MethodCost cost;  // `method.modes` is the number of profiled modes, never 0
};
// Returns a row for each scenario and method, with the methods in the order of
// predict::compare_methods. Throws what predict::compare_methods throws.
std::vector<ScenarioCost> advise(const std::vector<predict::TrainingScenario>& scenarios,
                                 const predict::ProfilingCost& profiling);

}  // namespace ridgewatt::answer
