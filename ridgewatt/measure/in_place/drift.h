// Tells whether what modes cost still holds: a sequential test on the logarithms of time and power
// of a mode that is looked at again and again.
//
// What is looked at is the innovation: the new logarithm less what the mode was worth, less what
// everything has crept by since. Two one-sided CUSUM sums per quantity (Page 1954) collect what is
// beyond the allowance. A sum above `doubt` asks for another look at once, above `alarm` it is
// drift.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>

#include "ridgewatt/measure/in_place.h"

namespace ridgewatt::measure {

class DriftTest {
 public:
  enum class Verdict { kHolds, kDoubt, kDrift };
  struct Look {
    Verdict verdict = Verdict::kHolds;
    double time_factor = 1, power_factor = 1;  // of now over what was, when it is drift
  };

  explicit DriftTest(const DriftOptions& options) : options_(options) {}

  bool knows(const PowerMode& mode) const { return levels_.count(mode) > 0; }
  // The first window of a mode says what it is worth; a later one is a look.
  Look look(const InPlaceWindow& window);
  // After drift: only what this window saw still holds.
  void restart(const InPlaceWindow& window);
  // After drift that no window tells: nothing holds.
  void forget();
  // What the mode's power would be now by what was seen of it; nothing of an unknown mode.
  std::optional<double> power_w(const PowerMode& mode) const;

 private:
  static constexpr std::size_t kQuantities = 2;  // time, power
  using Pair = std::array<double, kQuantities>;
  struct Level {
    Pair log;  // less the creep until then
    Pair variance;
  };
  struct Seen {
    Pair log, variance;
  };
  Seen seen(const InPlaceWindow& window);

  DriftOptions options_;
  std::map<PowerMode, Level> levels_;
  Pair creep_{};
  std::array<Pair, 2> sums_{};  // up, down
  Pair doubted_{};              // innovations of the looks in doubt, summed
  int doubts_ = 0;
  double spread_ = 0;  // of a minibatch's time, pooled
  int spreads_ = 0;
};

}  // namespace ridgewatt::measure
