// Several boards in simulated time, to test searches with many boards. A result comes from a
// profiler and arrives after a run of random length. No real time passes, and the seed determines
// all random lengths.
//
//   ReplayProfiler sweep(..);
//   SimulatedBoards boards(sweep, {.boards = 8, .seed = 1});
//   const SearchSummary summary = tune(space, goal, boards, options);
//   boards.now_s();                         // the simulated time that the search took
//
// A run takes (overhead + minibatches x time) x exp(spread x normal), multiplied by the slowness of
// the board.
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
  double spread = 0.3;  // standard deviation of the logarithm of a run's duration
  std::uint64_t seed = 1;
  std::vector<double> slowness = {};   // Factor on each board's runs. Default: 1.
  std::vector<double> dies_at_s = {};  // Time at which each board fails for good. Default: never.
  // Time after which the run of a failed board is reported as lost.
  double noticed_after_s = AsyncProfiler::kForever;
};

class SimulatedBoards final : public AsyncProfiler {
 public:
  // `profiler` must outlive this object.
  SimulatedBoards(Profiler& profiler, SimulationOptions options);

  std::size_t boards() const override;
  // Starts the run on the board that has been idle for longest, or queues it if none is idle.
  // Throws the exceptions of the profiler, except for the errors that FinishedRun represents.
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
  std::vector<double> free_since_s_;  // per board; infinite during a run
  std::deque<FinishedRun> waiting_;   // runs that wait for a board
  std::vector<Ending> endings_;
  double now_s_ = 0;
};

}  // namespace ridgewatt::tune
