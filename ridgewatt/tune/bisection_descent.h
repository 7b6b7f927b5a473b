// The descent of GMD (gradient descent in several dimensions; Fulcrum). It starts from one mode and
// measures, for each knob, the end of the range in the direction of the power budget. It then
// follows the knob with the largest slope |change of time / change of power| and halves the range
// of that knob. If the power exceeds the budget, it follows the knob with the smallest slope, which
// costs the least time per watt. This last rule is our choice; it is not published.
//
//   BisectionDescent descent(space, middle, look);
//   if (!descent.start("middle mode")) return;
//   descent.probe_ends();
//   while (budget_lasts && descent.follow_steepest()) ..
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "ridgewatt/tune/search_space.h"

namespace ridgewatt::tune {

class BisectionDescent {
 public:
  using Position = SearchSpace::Position;
  // The measured values that the descent uses. `value` is the time or another quantity to minimize.
  struct Sight {
    double value = 0;
    double power_w = 0;
    bool over = false;  // whether the power exceeds the budget
  };
  // Measures a point. Returns empty if the point cannot be measured; the descent then ends.
  using Look = std::function<std::optional<Sight>(const Position&, std::string_view reason)>;

  // Moves along the knobs of `space` that have several levels. The caller sets the batch.
  BisectionDescent(const SearchSpace& space, const Position& start, Look look);

  // Current position of the descent.
  const Position& at() const { return at_; }
  void set_batch_level(int level) { at_[SearchSpace::kBatchAxis] = level; }

  // Measures the start. Returns whether it could be measured.
  bool start(std::string_view reason);
  // Measures the end of each knob's range. Requires start().
  void probe_ends();
  // Halves the range of the knob to follow. Returns the new position and its measurement. Empty
  // when all ranges have one level or the position cannot be measured.
  struct Step {
    Position position;
    Sight sight;
  };
  std::optional<Step> follow_steepest();

 private:
  struct KnobRange {
    std::size_t axis = 0;
    int low = 0;
    int high = -1;
    double slope = 0;
    bool empty() const { return low > high; }
  };
  double merit(const KnobRange& range) const;

  const SearchSpace& space_;
  Look look_;
  Position at_;
  Sight here_;
  std::vector<KnobRange> ranges_;
};

}  // namespace ridgewatt::tune
