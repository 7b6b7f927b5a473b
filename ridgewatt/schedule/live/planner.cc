#include "ridgewatt/schedule/live/planner.h"

#include <utility>

#include "ridgewatt/base/thread.h"

namespace ridgewatt::schedule::live {

Planner::Planner(LiveBook& book, const DynamicOptions& options, bool aside)
    : book_(book), controller_(book, options), first_plan_(controller_.plan()), aside_(aside) {
  if (!aside_) return;
  thread_ = quiet_thread([this] { serve(); });
}

Planner::~Planner() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

bool Planner::idle() const {
  const std::lock_guard lock(mutex_);
  return !busy_ && !request_ && !reply_;
}

void Planner::ask(PlanRequest request) {
  if (!aside_) {
    reply_ = answer(request);
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    request_ = std::move(request);
  }
  changed_.notify_all();
}

std::optional<PlanReply> Planner::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(reply_, std::nullopt);
}

PlanReply Planner::answer(const PlanRequest& request) {
  PlanReply reply;
  controller_.set_mode_change_s(request.mode_change_s);
  if (request.correction) {
    book_.correct(*request.correction);
    reply.modes = book_.modes();
  }
  reply.plan = controller_.decide(request.now_s, request.rates_hz);
  return reply;
}

void Planner::serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return ending_ || request_; });
    if (ending_) return;
    const PlanRequest request = *std::exchange(request_, std::nullopt);
    busy_ = true;
    lock.unlock();
    PlanReply reply = answer(request);
    lock.lock();
    reply_ = std::move(reply);
    busy_ = false;
  }
}

}  // namespace ridgewatt::schedule::live
