// A baseline of gradient-boosted trees (XGBoost, Chen and Guestrin 2016) on ln(time) and ln(power).
// It needs the library on the machine.
#pragma once

#include <cstdint>
#include <memory>

#include "ridgewatt/predict/mean_predictor.h"

namespace ridgewatt::predict {

bool trees_available();
// Throws NotSupportedError if XGBoost is not installed.
std::unique_ptr<MeanPredictor> make_tree_predictor(std::uint64_t seed);

}  // namespace ridgewatt::predict
