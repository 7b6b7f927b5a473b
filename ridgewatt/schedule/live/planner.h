// Plans while the schedule runs: a plan for rates that nobody planned for yet takes up to a second,
// for which no request should wait.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "ridgewatt/schedule/live/live_controller.h"

namespace ridgewatt::schedule::live {

struct PlanRequest {
  double now_s = 0;
  std::vector<double> rates_hz;
  double mode_change_s = 0;
  // Times that were measured since, where they are new.
  std::optional<std::vector<TimeFactors>> correction;
};

// The answer to a request: another plan or none, and the modes with the times it was made with.
struct PlanReply {
  std::optional<LivePlan> plan;
  std::optional<std::vector<LiveMode>> modes;  // where a correction changed them
};

class Planner {
 public:
  // `aside`: in a thread of its own.
  Planner(LiveBook& book, const DynamicOptions& options, bool aside);
  ~Planner();
  Planner(const Planner&) = delete;
  Planner& operator=(const Planner&) = delete;

  const LivePlan& first_plan() const { return first_plan_; }
  // Whether the last request was answered and its reply taken.
  bool idle() const;
  void ask(PlanRequest request);
  std::optional<PlanReply> take();

 private:
  PlanReply answer(const PlanRequest& request);
  void serve();

  LiveBook& book_;
  LiveController controller_;
  LivePlan first_plan_;
  bool aside_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<PlanRequest> request_;
  std::optional<PlanReply> reply_;
  bool busy_ = false, ending_ = false;
  std::thread thread_;
};

}  // namespace ridgewatt::schedule::live
