// The descent of GMD (gradient descent in several dimensions, Fulcrum): from a mode, measure the
// end of each knob that leads toward the power budget; follow the knob with the largest slope
// |change of time / change of power| and halve its range. While over the budget, follow the knob
// with the smallest slope, which costs the least time per watt (not published, chosen here).
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
  // The required facts of a point: `value` is the time, or a substitute for it.
  struct Sight {
    double value = 0;
    double power_w = 0;
    bool over = false;  // too much power: lower levels are needed
  };
  // Empty if the point cannot be measured; then the descent ends.
  using Look = std::function<std::optional<Sight>(const Position&, std::string_view reason)>;

  // Moves along the free knobs of `space`; the caller sets the batch.
  BisectionDescent(const SearchSpace& space, const Position& start, Look look);

  // The current position of the descent.
  const Position& at() const { return at_; }
  void set_batch_level(int level) { at_[SearchSpace::kBatchAxis] = level; }

  // Each returns whether a point was measured.
  bool start(std::string_view reason);
  void probe_ends();
  // Halves the range of the knob to follow; returns the new position and its measurement, empty
  // when all ranges are used up.
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
