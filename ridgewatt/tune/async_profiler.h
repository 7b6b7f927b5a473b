// The interface between a search and several boards. The search starts runs of points; the runs end
// in any order. Implementations: SimulatedBoards (tune/simulated_boards.h) in simulated time, the
// boards of a campaign in real time, and OneAtATime for a single Profiler.
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

// The result of one run of a point.
struct FinishedRun {
  enum class End {
    kMeasured,
    kCannotRun,   // the board rejects the point, or the program failed
    kDoesNotFit,  // the batch exceeds the memory in every mode
    kLost         // the board failed or was removed; the point may be valid
  };
  std::size_t run = 0;
  End end = End::kMeasured;
  Observation seen = {};    // result, for kMeasured
  std::string reason = {};  // reason, for all others
};

class AsyncProfiler {
 public:
  static constexpr double kForever = std::numeric_limits<double>::infinity();

  virtual ~AsyncProfiler() = default;
  // Number of runs that can be in flight.
  virtual std::size_t boards() const = 0;
  // Starts a run. The caller chooses the number `run`, which must be unique.
  virtual void start(std::size_t run, const OperatingPoint& point) = 0;
  // Waits until a run ends, or until the clock reaches `until_s`; empty in the second case. Throws
  // Error if no run can ever end.
  virtual std::optional<FinishedRun> next(double until_s) = 0;
  virtual double now_s() const = 0;
  // The provenance of every result.
  virtual Provenance provenance() const = 0;
};

// A single board. The search waits for each run, and the clock does not advance.
class OneAtATime final : public AsyncProfiler {
 public:
  // `profiler` must outlive this object.
  explicit OneAtATime(Profiler& profiler) : profiler_(profiler) {}

  std::size_t boards() const override { return 1; }
  void start(std::size_t run, const OperatingPoint& point) override {
    waiting_.emplace_back(run, point);
  }
  // Throws the exceptions of the profiler, except for the errors that FinishedRun represents.
  std::optional<FinishedRun> next(double until_s) override;
  double now_s() const override { return 0; }
  Provenance provenance() const override { return profiler_.provenance(); }

 private:
  Profiler& profiler_;
  std::deque<std::pair<std::size_t, OperatingPoint>> waiting_;
};

// Profiles a point immediately and returns its result. Throws the exceptions of the profiler,
// except for the errors that FinishedRun represents.
FinishedRun finished_run(std::size_t run, Profiler& profiler, const OperatingPoint& point);

}  // namespace ridgewatt::tune
