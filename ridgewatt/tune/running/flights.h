// The points of a search that are being profiled: who waits for which run, which run takes far
// longer than foretold, and which was lost with its board. A point that is late or lost is given to
// another board; what comes first counts, and the search pays for one profile.
#pragma once

#include <span>
#include <vector>

#include "ridgewatt/tune/async_profiler.h"

namespace ridgewatt::tune {

class Flights {
 public:
  static constexpr double kLate = 3;     // times as long as foretold
  static constexpr int kMostLosses = 3;  // boards that one point may cost

  // `profiler` must outlive this; `minibatches`: of a run.
  Flights(AsyncProfiler& profiler, int minibatches)
      : profiler_(profiler), minibatches_(minibatches) {}

  // Points whose result is awaited, in the order of their starts.
  const std::vector<std::size_t>& points() const { return points_; }
  bool board_free() const { return running_ < profiler_.boards(); }
  void start(std::size_t index, const OperatingPoint& point);
  // What a minibatch of every point is believed to take; decides what is late.
  void foretell(std::span<const float> log_time) {
    log_time_.assign(log_time.begin(), log_time.end());
  }

  struct Landed {
    std::size_t index = 0;
    FinishedRun run;
  };
  // Waits until something happens; nothing: a board became free, or a late point another board.
  // Not with no points in flight.
  std::optional<Landed> next();

 private:
  struct Run {
    std::size_t number = 0;
    double started_s = 0;
  };
  struct Flight {
    std::size_t index = 0;
    OperatingPoint point;
    std::vector<Run> runs;  // in the air, the first one first
    bool copied = false;    // has been given to another board for being late
    int losses = 0;
  };
  void run(Flight& flight);
  std::optional<Landed> land(FinishedRun ended);
  double late_at_s(const Flight& flight) const;
  void help();

  AsyncProfiler& profiler_;
  int minibatches_;
  std::vector<Flight> flights_;
  std::vector<std::size_t> points_;
  std::vector<double> overheads_s_;  // of the runs that ended, beside their minibatches
  std::vector<float> log_time_;
  std::size_t running_ = 0, runs_ = 0;
};

}  // namespace ridgewatt::tune
