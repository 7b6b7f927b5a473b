// The boards of a campaign as the profiler of a search (tune/async_profiler.h): every requested
// point becomes a task of one point, and its result is read from the store by slot.
//
//   CampaignBoards boards(plan, plan.kind("agx-orin"), *executor, store, {.boards = 8});
//   const auto summary = tune::tune(space, goal, boards, {.strategy = "auto"});
//
// The slot of a point, "sweep7/agx-orin/tune-1f0c..", follows from the point: if it is requested
// again, by a resumed search or as the copy of a late task, it is already filled. The search may be
// killed at any time; its tasks end on their own. Boards that are set aside (health.h) get no
// tasks.
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
  std::size_t boards = 1;  // tasks in flight
  double look_every_s = 1;
  // That drained and lost boards have to come back while nothing runs. Chosen: a controller that
  // starts again knows its boards within half of it.
  double patience_s = 60;
  ExecutorOptions executor = {};
};

class CampaignBoards final : public tune::AsyncProfiler {
 public:
  // All references must outlive this.
  CampaignBoards(const Plan& plan, const BoardKind& kind, Executor& executor, store::Store& store,
                 const SearchBoardsOptions& options);
  // Cancels the tasks that nobody waits for any more.
  ~CampaignBoards() override;

  std::size_t boards() const override { return options_.boards; }
  // A point whose slot is filled needs no task. Throws what Executor::submit throws, and Error with
  // the reason of each board if all of the kind are set aside.
  void start(std::size_t run, const OperatingPoint& point) override;
  // Throws IoError if the store or the engine cannot be queried, and Error with the reason of each
  // board if none can run what waits.
  std::optional<tune::FinishedRun> next(double until_s) override;
  double now_s() const override;
  Provenance provenance() const override;

  // The results of the kind's points in this campaign: planned ones and those of searches.
  std::vector<Observation> known();
  // The boards that produced the results so far.
  const std::set<std::string>& serials() const { return serials_; }
  // The reasons of failed tasks, from the engine or the task.
  const std::vector<std::string>& failures() const { return failures_; }
  // The boards that get no tasks, each with its reason, as of the newest task.
  const std::vector<std::string>& set_aside() const { return said_aside_; }

 private:
  struct Flight {
    std::size_t run = 0;
    OperatingPoint point;
    int repeat = 0;  // number of previous measurements
    std::string slot = {};
    std::vector<Job> jobs = {};  // empty: the result existed
    bool ended = false;          // the engine reported that it is finished
  };
  std::vector<store::PointRecord> filled(const std::string& prefix);
  Fleet fleet();
  std::vector<Job> submit(const Task& task);
  void set_boards_aside(const Fleet& now);
  void require_a_board();
  std::optional<tune::FinishedRun> arrived();
  std::optional<tune::FinishedRun> given_up();

  const Plan& plan_;
  const BoardKind& kind_;
  Executor& executor_;
  store::Store& store_;
  SearchBoardsOptions options_;
  std::vector<Flight> flights_;
  std::map<OperatingPoint, int> measured_;  // number of measurements of each by searches
  std::set<std::string> serials_;
  std::vector<std::string> failures_;
  std::vector<std::string> aside_, said_aside_;  // hosts, as the engine's jobs have them; boards
  bool waits_ = false;                           // tasks are in flight, and none of them runs
  std::optional<Stopwatch> blocked_;             // since no board can run them
  int tasks_ = 0;
  Stopwatch since_;
};

}  // namespace ridgewatt::campaign
