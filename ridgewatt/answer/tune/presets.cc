#include "ridgewatt/answer/presets.h"

#include <algorithm>
#include <set>

#include "ridgewatt/answer/tune/tune_parts.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/predict/pareto.h"

namespace ridgewatt::answer {
namespace {

// The two costs of all points of one batch.
struct AtBatch {
  std::vector<std::size_t> index;  // of the points in the answer
  std::vector<double> first, second;
};

AtBatch at_batch(const PredictAnswer& all, int batch, FrontCost first, FrontCost second) {
  AtBatch points;
  for (std::size_t i = 0; i < all.points.size(); ++i) {
    if (all.points[i].batch != batch) continue;
    points.index.push_back(i);
    points.first.push_back(front_cost(first, all.points[i], all.predictions[i]));
    points.second.push_back(front_cost(second, all.points[i], all.predictions[i]));
  }
  return points;
}

int sms_switched_off(const Board& board, const tune::NamedMode& named) {
  for (const auto& preset : presets(board)) {
    if (named.name.ends_with(preset.name) && preset.sms > 0) return board.sms - preset.sms;
  }
  return 0;
}

// The highest mode of the points is MAXN only if the board has that preset.
std::string name_of_highest(const Board& board, const PowerMode& mode) {
  const std::string name = preset_name(board, mode);
  return name.empty() ? "highest mode" : name;
}

std::optional<PresetStanding> standing(const PredictAnswer& all, const AtBatch& points,
                                       const tune::NamedMode& named) {
  const auto at = std::find_if(points.index.begin(), points.index.end(),
                               [&](std::size_t i) { return all.points[i].mode == named.mode; });
  if (at == points.index.end()) return std::nullopt;
  PresetStanding found{named.name, 0, all.points[*at], all.predictions[*at], {}, 0, {}};
  found.origin = all.origins[all.origins.size() == 1 ? 0 : *at];
  const auto place = static_cast<std::size_t>(at - points.index.begin());
  const predict::Dominance by = predict::dominance(points.first, points.second, place);
  found.better = by.points;
  if (by.best) {
    const std::size_t best = points.index[*by.best];
    found.best = PresetStanding::Better{all.points[best], all.predictions[best]};
  }
  return found;
}

}  // namespace

std::vector<PresetStanding> preset_standings(const PredictAnswer& all, const std::string& device,
                                             FrontCost first, FrontCost second) {
  const Board board = load_board(device);
  std::set<int> batches;
  for (const auto& point : all.points) batches.insert(point.batch);
  std::vector<PresetStanding> found;
  for (const auto& named : named_modes(device, tune::SearchSpace(all.points))) {
    for (const int batch : batches) {
      auto one = standing(all, at_batch(all, batch, first, second), named);
      if (!one) continue;
      one->sms_off = sms_switched_off(board, named);
      if (named.name == "MAXN") one->name = name_of_highest(board, named.mode);
      found.push_back(std::move(*one));
    }
  }
  if (found.empty())
    throw UsageError("no predicted mode is near a preset of the board", device,
                     "predict all modes of the board, or omit --presets");
  return found;
}

}  // namespace ridgewatt::answer
