#include "ridgewatt/answer/profile.h"

#include <algorithm>

#include "ridgewatt/base/random.h"
#include "ridgewatt/predict/auto_predictor.h"
#include "ridgewatt/sweep/board_fit.h"

namespace ridgewatt::answer {

std::vector<PowerMode> modes_to_learn_from(const KnobSpace& space, LearnQuestion question) {
  std::vector<OperatingPoint> points;
  for (const auto& mode : space.modes()) points.push_back({mode, question.batch});
  predict::AutoPredictor predictor({points});
  if (!question.samples.observations.empty()) {
    fit_to_space(question.samples, space, question.board);
    predictor.fit(question.samples.observations);
  }
  std::vector<PowerMode> modes;
  for (const auto i : predictor.suggest(points, question.count)) modes.push_back(points[i].mode);
  return modes;
}

std::vector<PowerMode> random_modes(const KnobSpace& space, std::size_t count, std::uint64_t seed) {
  std::vector<PowerMode> modes;
  for (const auto i : Random(seed).sample(space.size(), std::min(space.size(), count))) {
    modes.push_back(space[i]);
  }
  return modes;
}

}  // namespace ridgewatt::answer
