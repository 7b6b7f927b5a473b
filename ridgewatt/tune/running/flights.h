// The points of a search that are in flight (being profiled). If a run takes far longer than
// predicted, or its board fails, the point also starts on another board. The first result counts,
// and the search spends one profile.
#pragma once

#include <span>
#include <vector>

#include "ridgewatt/tune/async_profiler.h"

namespace ridgewatt::tune {

class Flights {
 public:
  static constexpr double kLate = 3;  // factor on the predicted duration, after which a run is late
  static constexpr int kMostLosses = 3;  // number of boards that may fail on one point

  // `profiler` must outlive this. `minibatches` is the number per run.
  Flights(AsyncProfiler& profiler, int minibatches)
      : profiler_(profiler), minibatches_(minibatches) {}

  // The points in flight, in the order of their starts.
  const std::vector<std::size_t>& points() const { return points_; }
  bool board_free() const { return running_ < profiler_.boards(); }
  void start(std::size_t index, const OperatingPoint& point);
  // Sets the predicted ln(time of a minibatch) of every point, which decides when a run is late.
  void expect_times(std::span<const float> log_time) {
    log_time_.assign(log_time.begin(), log_time.end());
  }

  struct Landed {
    std::size_t index = 0;
    FinishedRun run;
  };
  // Waits until a run ends. Empty if only a board became free or a late point was started on
  // another board. Requires points in flight.
  std::optional<Landed> next();

 private:
  struct Run {
    std::size_t number = 0;
    double started_s = 0;
  };
  struct Flight {
    std::size_t index = 0;
    OperatingPoint point;
    std::vector<Run> runs;  // in flight, the earliest first
    bool copied = false;    // whether it also started on another board
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
  std::vector<double> overheads_s_;  // duration of each finished run, without its minibatches
  std::vector<float> log_time_;
  std::size_t running_ = 0, runs_ = 0;
};

}  // namespace ridgewatt::tune
