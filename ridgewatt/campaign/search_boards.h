// Lets a search use the boards of a campaign as its profiler (tune/async_profiler.h). Each
// requested point becomes a task with one point. The result is read from the store by its slot.
//
//   CampaignBoards boards(plan, plan.kind("agx-orin"), *executor, store, {.boards = 8});
//   const auto summary = tune::tune(space, goal, boards, {.strategy = "auto"});
//
// The slot of a point ("sweep7/agx-orin/tune-1f0c..") depends only on the point. If the point is
// requested again, by a resumed search or as a copy of a late task, the slot already has a result.
// The search may be killed at any time; its tasks end on their own. Boards that are set aside
// (campaign/health.h) get no tasks.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ridgewatt/base/clock.h"
#include "ridgewatt/campaign/executor.h"
#include "ridgewatt/campaign/health.h"
#include "ridgewatt/store/store.h"
#include "ridgewatt/tune/async_profiler.h"

namespace ridgewatt::campaign {

struct SearchBoardsOptions {
  std::size_t boards = 1;  // maximum number of tasks at the same time
  double look_every_s = 1;
  // How long the search waits if no board can run its tasks. Boards may be drained or silent
  // and then return. Chosen: a restarted controller knows its boards within half of this
  // time.
  double patience_s = 60;
  ExecutorOptions executor = {};
};

class CampaignBoards final : public tune::AsyncProfiler {
 public:
  // All referenced objects must outlive this object. Throws UsageError if the store has another
  // plan of this name.
  CampaignBoards(const Plan& plan, const BoardKind& kind, Executor& executor, store::Store& store,
                 const SearchBoardsOptions& options);
  // Cancels the tasks whose results are no longer needed.
  ~CampaignBoards() override;

  std::size_t boards() const override { return options_.boards; }
  // Submits a task for the point unless its slot has a result. Throws the errors of
  // Executor::submit(). Throws Error, with all reasons, if all boards of the kind are set aside.
  void start(std::size_t run, const OperatingPoint& point) override;
  // Throws IoError if the store or the executor cannot be queried, and Error with the reason for
  // each board if no board can run the waiting tasks.
  std::optional<tune::FinishedRun> next(double until_s) override;
  double now_s() const override;
  Provenance provenance() const override;

  // Returns the results of the kind in this campaign, for planned points and points of searches. A
  // point that is planned again has only the result of its newest rerun.
  std::vector<Observation> known();
  // Returns the serial numbers of the boards that measured the results so far.
  const std::set<std::string>& serials() const { return serials_; }
  // Returns the reasons of failed tasks.
  const std::vector<std::string>& failures() const { return failures_; }
  // Returns the boards that are set aside and why, as of the last submitted task.
  const std::vector<std::string>& set_aside() const { return said_aside_; }

 private:
  struct Flight {
    std::size_t run = 0;
    OperatingPoint point;
    int repeat = 0;  // number of earlier measurements of the point
    std::string slot = {};
    std::vector<Job> jobs = {};  // empty: the result already exists
    bool ended = false;          // whether the executor reported its end
  };
  std::vector<store::PointRecord> filled(const std::string& prefix);
  Fleet fleet();
  std::vector<Job> submit(const Task& task);
  void set_boards_aside(const Fleet& now);
  void require_a_board();
  std::optional<tune::FinishedRun> arrived();
  std::optional<tune::FinishedRun> given_up();

  const Plan& plan_;
  const Superseded superseded_;
  const BoardKind& kind_;
  Executor& executor_;
  store::Store& store_;
  SearchBoardsOptions options_;
  std::vector<Flight> flights_;
  std::map<OperatingPoint, int> measured_;  // number of measurements of each point by searches
  std::set<std::string> serials_;
  std::vector<std::string> failures_;
  std::vector<std::string> aside_, said_aside_;  // hosts; boards with reasons
  bool waits_ = false;                           // tasks are in flight, but none is running
  std::optional<Stopwatch> blocked_;             // runs while no board can run the tasks
  int tasks_ = 0;
  Stopwatch since_;
};

}  // namespace ridgewatt::campaign
