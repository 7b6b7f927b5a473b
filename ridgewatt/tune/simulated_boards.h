// Several boards in simulated time: the result of a profiler for a point arrives when a run of
// random length would have ended. For testing searches with many boards: no real time passes, and
// the seed determines the course of events.
//
//   ReplayProfiler sweep(..);
//   SimulatedBoards boards(sweep, {.boards = 8, .seed = 1});
//   const SearchSummary summary = tune(space, goal, boards, options);
//   boards.now_s();                         // the wall-clock time that the search took
//
// A run takes (overhead + minibatches x time) x exp(spread x normal), times the board's slowness.
#pragma once

#include <cstdint>
#include <vector>

#include "ridgewatt/tune/async_profiler.h"

namespace ridgewatt::tune {

struct SimulationOptions {
  int boards = 1;
  int minibatches = 40;
  // Time to set the mode, start the program and wait for steady power.
  double overhead_s = 15;
  double spread = 0.3;  // standard deviation of the logarithm of a run's length
  std::uint64_t seed = 1;
  std::vector<double> slowness = {};   // factor of each board's runs; 1 if not given
  std::vector<double> dies_at_s = {};  // when each board stops for good; never if not given
  // after this time the run of a dead board is reported as lost
  double noticed_after_s = AsyncProfiler::kForever;
};

class SimulatedBoards final : public AsyncProfiler {
 public:
  // `profiler` must outlive this; start() throws its errors that FinishedRun does not represent.
  SimulatedBoards(Profiler& profiler, SimulationOptions options);

  std::size_t boards() const override;
  // Starts on the board that has been free for longest; waits if none is free.
  void start(std::size_t run, const OperatingPoint& point) override;
  std::optional<FinishedRun> next(double until_s) override;
  double now_s() const override { return now_s_; }
  Provenance provenance() const override { return profiler_.provenance(); }

 private:
  struct Ending {
    double at_s = 0;
    std::size_t board = 0;
    FinishedRun run;
  };
  double dies_at_s(std::size_t board) const;
  bool known_dead(std::size_t board) const;
  void give_out();

  Profiler& profiler_;
  SimulationOptions options_;
  std::vector<double> free_since_s_;  // of each board; infinite while it runs something
  std::deque<FinishedRun> waiting_;   // for a board
  std::vector<Ending> endings_;
  double now_s_ = 0;
};

}  // namespace ridgewatt::tune
