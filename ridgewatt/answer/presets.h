// Are the modes that a board ships with worth having? For each preset: how many modes beat it in
// both of two costs, and the best of those modes.
//
//   const auto presets = preset_standings(measured_points(sweep), "agx-orin", FrontCost::kTime,
//                                         FrontCost::kPower);
//   if (presets.front().better > 0) ...  // MAXN is not Pareto optimal
//
// Compared at one batch. A preset is the point nearest to it in its knobs; what a preset changes in
// addition to its knobs (multiprocessors that it switches off) is not in the points.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/answer/predict.h"

namespace ridgewatt::answer {

struct PresetStanding {
  std::string name;  // "MAXN"; "near MODE_30W" where no point has exactly its knobs; "highest mode"
  int sms_off = 0;   // multiprocessors that the preset switches off
  OperatingPoint point;
  predict::Prediction cost;
  RowOrigin origin;
  std::size_t better = 0;  // points of that batch which cost less in both
  struct Better {
    OperatingPoint point;
    predict::Prediction cost;
  };
  std::optional<Better> best;  // of them: the one with the least product of the costs
};

// The highest mode of the points, then the board's presets in their order, each at every batch of
// the points; presets whose mode no point has are left out. UsageError when no preset is there.
std::vector<PresetStanding> preset_standings(const PredictAnswer& all, const std::string& device,
                                             FrontCost first, FrontCost second);

}  // namespace ridgewatt::answer
