// Detects when time or power of power modes has drifted from earlier measurements: a sequential
// test of the logarithms of time and power in a mode that is measured repeatedly.
//
// The test variable is the innovation: the new logarithm minus the level of the mode minus the
// common creep (slow change) of all modes since the level was measured. Two one-sided CUSUM sums
// per quantity (Page 1954) accumulate the excess over the allowance. If a sum is above `doubt`,
// another measurement should follow immediately; if it is above `alarm`, drift is detected.
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
    double time_factor = 1, power_factor = 1;  // ratio of now to before, if there is drift
  };

  explicit DriftTest(const DriftOptions& options) : options_(options) {}

  bool knows(const PowerMode& mode) const { return levels_.count(mode) > 0; }
  // The first window of a mode defines its level; later windows are tested against it.
  Look look(const InPlaceWindow& window);
  // Call after drift: only the levels from this window remain valid.
  void restart(const InPlaceWindow& window);
  // Call after drift that no window shows: no level remains valid.
  void forget();
  // The currently expected power of the mode; empty for an unknown mode.
  std::optional<double> power_w(const PowerMode& mode) const;

 private:
  static constexpr std::size_t kQuantities = 2;  // time, power
  using Pair = std::array<double, kQuantities>;
  struct Level {
    Pair log;  // logarithms of time and power, minus the creep until then
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
  Pair doubted_{};              // sum of the innovations of consecutive windows above `doubt`
  int doubts_ = 0;
  double spread_ = 0;  // of minibatch time, pooled over windows
  int spreads_ = 0;
};

}  // namespace ridgewatt::measure
