// Gradient-boosted trees (XGBoost, Chen and Guestrin 2016) on ln(time) and ln(power): a baseline
// that is there when the library is installed where the program runs.
#pragma once

#include <cstdint>
#include <memory>

#include "ridgewatt/predict/predictor.h"

namespace ridgewatt::predict {

bool trees_available();
// Throws NotSupportedError where XGBoost is not installed.
std::unique_ptr<Predictor> make_tree_predictor(std::uint64_t seed);

}  // namespace ridgewatt::predict
