// The seam between a search and several boards at once: runs of points are started, and end in any
// order. tune/simulated_boards.h answers it in simulated time, an engine with many boards in real
// time, and any Profiler as one board.
//
//   OneAtATime board(profiler);            // or SimulatedBoards boards(profiler, {.boards = 8});
//   const SearchSummary summary = tune(space, goal, board, {.strategy = "auto"});
#pragma once

#include <cstddef>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "ridgewatt/sweep/profiler.h"

namespace ridgewatt::tune {

// How one run of a point ended.
struct FinishedRun {
  enum class End {
    kMeasured,
    kCannotRun,   // not there: the board refuses, or the program failed at this point
    kDoesNotFit,  // the memory, in any mode
    kLost         // the board died or was taken away: says nothing of the point
  };
  std::size_t run = 0;
  End end = End::kMeasured;
  Observation seen = {};    // where it was measured
  std::string reason = {};  // elsewhere
};

class AsyncProfiler {
 public:
  static constexpr double kForever = std::numeric_limits<double>::infinity();

  virtual ~AsyncProfiler() = default;
  // Runs that can be in flight.
  virtual std::size_t boards() const = 0;
  // Puts a run in flight; its number is the caller's and used once.
  virtual void start(std::size_t run, const OperatingPoint& point) = 0;
  // Waits until a run ends, at most until its clock shows `until_s`; nothing: it shows that. Throws
  // Error where no run can ever end.
  virtual std::optional<FinishedRun> next(double until_s) = 0;
  virtual double now_s() const = 0;
  // Of every result that is made from it.
  virtual Provenance provenance() const = 0;
};

// One board, which is waited for: runs take no time of the clock.
class OneAtATime final : public AsyncProfiler {
 public:
  // `profiler` must outlive this.
  explicit OneAtATime(Profiler& profiler) : profiler_(profiler) {}

  std::size_t boards() const override { return 1; }
  void start(std::size_t run, const OperatingPoint& point) override {
    waiting_.emplace_back(run, point);
  }
  // Throws what the profiler throws, but for what an end says.
  std::optional<FinishedRun> next(double until_s) override;
  double now_s() const override { return 0; }
  Provenance provenance() const override { return profiler_.provenance(); }

 private:
  Profiler& profiler_;
  std::deque<std::pair<std::size_t, OperatingPoint>> waiting_;
};

// A point profiled now, and how that ended. Throws what the profiler throws, but for what an end
// says.
FinishedRun finished_run(std::size_t run, Profiler& profiler, const OperatingPoint& point);

}  // namespace ridgewatt::tune
