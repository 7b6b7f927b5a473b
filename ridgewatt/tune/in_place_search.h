// A search on a program that goes on running: the power limit is kept while it searches, and what
// drift made stale is measured anew.
//
//   profiler.begin(space[in_place_start(space, goal)].mode);    // measure/in_place.h
//   InPlaceSearch search(space, goal, profiler, options);
//   const InPlaceResult found = search.run();                   // any strategy
//
// Points are offered to the strategy as the safe set grows (tune/safe_set.h). When the profiler
// says that what was profiled no longer holds (DriftedError), what was seen is corrected by the
// factors of time and power that the reference showed, the strategy goes on from there with the
// budget that is left, and no corrected point is the answer before it was measured anew. When the
// program ends (ProgramEndedError) the answer is the best so far.
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
  SafeSetOptions safe;   // its limit is the goal's
  int most_renewed = 5;  // windows beyond the budget that measure candidates for the answer anew
};

struct InPlaceResult {
  SearchSummary summary;
  int over_limit = 0;  // points left because they drew too much
  int renewed = 0;     // windows that measured anew what drift had made stale
  int drifts = 0;
  bool program_ended = false;  // before the search did
};

// The point to begin with: where every knob is lowest, or the top one where power has no limit.
std::size_t in_place_start(const SearchSpace& space, const Goal& goal);

class InPlaceSearch {
 public:
  // All must outlive this. UsageError where a slowdown limit needs the top mode, which the power
  // limit may forbid.
  InPlaceSearch(const SearchSpace& space, const Goal& goal, Profiler& profiler,
                InPlaceSearchOptions options);
  ~InPlaceSearch();
  InPlaceResult run();

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace ridgewatt::tune
