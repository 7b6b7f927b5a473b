// A search on a program that keeps running: it stays within the power limit, and measures again
// what drift has invalidated.
//
//   profiler.begin(space[in_place_start(space, goal)].mode);    // measure/in_place.h
//   InPlaceSearch search(space, goal, profiler, options);
//   const InPlaceResult found = search.run();                   // any strategy
//
// Points are offered to the strategy as the safe set grows (tune/safe_set.h). When the profiler
// reports that earlier profiles are invalid (DriftedError), the results are corrected by the
// factors of time and power of the reference, and the strategy continues with the remaining budget.
// No corrected point becomes the answer before it is measured again. When the program ends
// (ProgramEndedError), the answer is the best so far.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "ridgewatt/sweep/in_place_errors.h"
#include "ridgewatt/tune/safe_set.h"
#include "ridgewatt/tune/search.h"

namespace ridgewatt::tune {

struct InPlaceSearchOptions {
  StrategyOptions strategy;
  SafeSetOptions safe;   // its limit is that of the goal
  int most_renewed = 5;  // windows beyond the budget that measure candidates for the answer again
};

struct InPlaceResult {
  SearchSummary summary;
  int over_limit = 0;  // points that were left because of too much power
  int renewed = 0;     // windows that repeated measurements after drift
  int drifts = 0;
  bool program_ended = false;  // before the search ended
};

// The first point: every knob at its lowest level, or the top point if power has no limit.
std::size_t in_place_start(const SearchSpace& space, const Goal& goal);

class InPlaceSearch {
 public:
  // All references must outlive the search. Throws UsageError if a slowdown limit needs the top
  // mode, which the power limit may exclude.
  InPlaceSearch(const SearchSpace& space, const Goal& goal, Profiler& profiler,
                InPlaceSearchOptions options);
  ~InPlaceSearch();
  InPlaceResult run();

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace ridgewatt::tune
