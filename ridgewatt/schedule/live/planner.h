// Runs the planning of a live schedule, in a separate thread if required. A plan for new rates
// takes up to a second, and requests should not wait for it.
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
  // New factors between measured and planned times, if they have changed.
  std::optional<std::vector<TimeFactors>> correction;
};

// The reply to a request.
struct PlanReply {
  // Another plan. Empty: keep the current one.
  std::optional<LivePlan> plan;
  std::optional<std::vector<LiveMode>> modes;  // All modes with corrected times. Empty: unchanged.
};

class Planner {
 public:
  // `aside`: whether to plan in a separate thread. Otherwise ask() blocks. `book` must outlive
  // this.
  Planner(LiveBook& book, const DynamicOptions& options, bool aside);
  ~Planner();
  Planner(const Planner&) = delete;
  Planner& operator=(const Planner&) = delete;

  // The plan before the first request.
  const LivePlan& first_plan() const { return first_plan_; }
  // True if the last request was answered and its reply taken.
  bool idle() const;
  // Submits a request. Call it only if idle() is true.
  void ask(PlanRequest request);
  // Takes the reply; empty if there is none yet.
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
