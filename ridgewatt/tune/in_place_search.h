// A search on a program that keeps running. It stays within the power limit while it searches, and
// repeats measurements that a drift of the program or board has invalidated.
//
//   profiler.begin(space[in_place_start(space, goal)].mode);    // measure/in_place.h
//   InPlaceSearch search(space, goal, profiler, options);
//   const InPlaceResult found = search.run();                   // any strategy
//
// The strategy can choose only points of the safe set (tune/safe_set.h), which grows with each
// measurement. When the profiler reports that earlier profiles are invalid (DriftedError), the
// results are multiplied by the change of time and power at a reference point. The strategy then
// continues with the remaining budget. A corrected point must be measured again before it can
// become the answer. When the program ends (ProgramEndedError), the answer is the best point so
// far.
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
  SafeSetOptions safe;   // its power limit is replaced by that of the goal
  int most_renewed = 5;  // extra profiles, to measure candidates for the answer again
};

struct InPlaceResult {
  SearchSummary summary;
  int over_limit = 0;  // points that were left early because their power was over the limit
  int renewed = 0;     // measurements repeated because of drift
  int drifts = 0;
  bool program_ended = false;  // the program ended before the search
};

// Returns the point to begin with: every knob at its lowest level, or the top point if the power
// has no limit.
std::size_t in_place_start(const SearchSpace& space, const Goal& goal);

class InPlaceSearch {
 public:
  // All references must outlive the search. Throws UsageError for a slowdown limit together with a
  // power limit, because its reference, the top mode, may violate the power limit.
  InPlaceSearch(const SearchSpace& space, const Goal& goal, Profiler& profiler,
                InPlaceSearchOptions options);
  ~InPlaceSearch();
  InPlaceResult run();

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace ridgewatt::tune
