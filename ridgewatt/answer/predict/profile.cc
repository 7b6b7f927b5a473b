#include "ridgewatt/answer/profile.h"

#include <algorithm>
#include <optional>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/platform/fake_load.h"
#include "ridgewatt/predict/auto_predictor.h"
#include "ridgewatt/sweep/board_fit.h"
#include "ridgewatt/sweep/mode_list.h"
#include "ridgewatt/sweep/points.h"

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

int ModeWish::ways() const {
  return (file.empty() ? 0 : 1) + (sample > 0 ? 1 : 0) + (suggest > 0 ? 1 : 0) + (all ? 1 : 0);
}

std::vector<PowerMode> wished_modes(const KnobSpace& space, const ModeWish& wish, int batch,
                                    const std::string& board, std::uint64_t seed) {
  if (wish.all) return space.modes();
  if (wish.sample > 0) return random_modes(space, wish.sample, seed);
  if (wish.file.empty()) {
    return modes_to_learn_from(space, {wish.suggest, batch, wish.samples, board});
  }
  std::vector<PowerMode> asked, modes;
  for (const auto& point : read_points(wish.file)) asked.push_back(point.mode);
  try {
    for (const auto& mode : asked) modes.push_back(mode_in_space(space, mode, wish.file));
  } catch (const UsageError&) {
    const auto file = platform::find_board_of_device(board);
    const std::string advice = file ? release_advice(asked, space, *file) : "";
    if (advice.empty()) throw;
    throw UsageError("the board cannot be set to modes of the file", wish.file, advice);
  }
  return modes;
}

}  // namespace ridgewatt::answer
