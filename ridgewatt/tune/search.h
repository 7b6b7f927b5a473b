// One search: what it may spend, what it has profiled so far, and what it answers. Every strategy
// works through this, so that budgets, trace and cost are counted in one place.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/sweep/profiler.h"
#include "ridgewatt/tune/problem.h"
#include "ridgewatt/tune/search_space.h"

namespace ridgewatt {

struct SearchBudget {
  int profiles = 15;                                        // operating points profiled
  double time_s = std::numeric_limits<double>::infinity();  // time on the board
  int minibatches = 40;  // run a profile: PowerTrain's and Fulcrum's number
  // Throws UsageError on a budget that allows nothing.
  void check() const;
};

// One profiled point, in order, and why the strategy asked for it.
struct SearchStep {
  Observation seen;
  Verdict verdict;
  std::string reason;
};

struct SearchSummary {
  std::string strategy;
  bool feasible = false;              // an answer was found
  std::optional<Observation> answer;  // a profiled point that kept every limit when measured
  std::optional<Observation> miss;    // without an answer: the profiled point nearest to feasible
  std::string stop;                   // why the search ended
  std::vector<SearchStep> steps;
  double reference_time_s = 0;  // of the slowdown limit, once known
  double board_time_s = 0;      // minibatches x time of every step
  double board_energy_j = 0;    // minibatches x energy of every step
  // "30.2 W, 87.9 ms at 12 cores, ...; 15 profiles, 2.1 min and 3.0 kJ on the board".
  std::string brief_report() const;
};

class Search {
 public:
  // `known` are observations from earlier searches of the same workload: they cost nothing.
  Search(const SearchSpace& space, const Goal& goal, Profiler& profiler, const SearchBudget& budget,
         const std::vector<Observation>& known = {});

  const SearchSpace& space() const { return space_; }
  // The goal, its slowdown reference filled in once the top mode was profiled.
  const Goal& goal() const { return goal_; }
  // Profiles that are left; 0 when the time budget is spent.
  int left() const;
  // Profiles a point if the budget allows, and says what was seen. Nothing when the budget is spent
  // or when the point cannot be run there (which costs a profile and is remembered).
  std::optional<Observation> profile(std::size_t index, std::string_view reason);
  // Profiled, known or found impossible.
  bool tried(std::size_t index) const { return tried_[index] != 0; }
  // Everything observed, known observations first; repeats are separate entries.
  const std::vector<Observation>& seen() const { return seen_; }
  std::optional<Observation> best() const;

  // Ends the search with `answer`.
  SearchSummary finish(std::string_view strategy, std::string_view stop,
                       const std::optional<Observation>& answer) const;

 private:
  void note_reference(const Observation& seen);

  const SearchSpace& space_;
  Goal goal_;
  Profiler& profiler_;
  SearchBudget budget_;
  std::size_t top_;
  std::vector<char> tried_;
  std::vector<Observation> seen_;
  std::vector<SearchStep> steps_;
  int spent_ = 0;
  double board_time_s_ = 0;
  double board_energy_j_ = 0;
};

}  // namespace ridgewatt
