#include "ridgewatt/schedule/live/dispatcher.h"

#include <algorithm>

namespace ridgewatt::schedule::live {

Dispatcher::Dispatcher(DispatchSettings settings)
    : settings_(std::move(settings)), queues_(settings_.max_latency_s.size()) {}

void Dispatcher::arrive(std::size_t program, double time_s) {
  auto& queue = queues_[program];
  queue.insert(std::upper_bound(queue.begin(), queue.end(), time_s), time_s);
}

std::vector<double> Dispatcher::take(std::size_t program, std::size_t count, std::size_t aside) {
  auto& queue = queues_[program];
  aside = std::min(aside, queue.size());
  count = std::min(count, queue.size() - aside);
  const auto from = queue.begin() + static_cast<std::ptrdiff_t>(aside);
  const auto to = from + static_cast<std::ptrdiff_t>(count);
  std::vector<double> taken(from, to);
  queue.erase(from, to);
  return taken;
}

double Dispatcher::latest_end_s(std::size_t program, double arrival_s) const {
  return arrival_s + settings_.max_latency_s[program];
}

// For each program with a worker: the requests that can be in time, earliest deadline first. Sets
// `late` to the number of requests of each program that cannot be in time.
std::vector<Dispatcher::Due> Dispatcher::dues(double now_s, const LiveMode& mode,
                                              const LivePlan& plan,
                                              std::span<const Presence> presence,
                                              std::vector<std::size_t>& late) const {
  std::vector<Due> result;
  late.assign(queues_.size(), 0);
  for (std::size_t p = 0; p < queues_.size(); ++p) {
    const auto& queue = queues_[p];
    const auto target = static_cast<std::size_t>(plan.batches[p]);
    std::size_t& aside = late[p];
    while (settings_.late_last && aside < queue.size()) {
      const double time_s = mode.padded(p, std::min(queue.size() - aside, target)).time_s;
      if (now_s + time_s <= latest_end_s(p, queue[aside])) break;
      ++aside;
    }
    if (presence[p] == Presence::kAbsent || aside == queue.size()) continue;
    const double bound_s =
        settings_.max_latency_s[p] * (1 - settings_.reserve) - settings_.reserve_s;
    result.push_back({p, queue[aside] + bound_s, queue.size() - aside, aside});
  }
  std::sort(result.begin(), result.end(),
            [](const Due& a, const Due& b) { return a.deadline_s < b.deadline_s; });
  return result;
}

// The latest start of the first of `dues` at which all meet their deadlines, one after the other.
// Batch sizes: the target with `filled`, else one more request than now.
double Dispatcher::must_start_s(const std::vector<Due>& dues, const LiveMode& mode,
                                const LivePlan& plan, bool filled) const {
  double start_s = std::numeric_limits<double>::infinity();
  double before_s = 0;
  for (const auto& due : dues) {
    const auto target = static_cast<std::size_t>(plan.batches[due.program]);
    const std::size_t count = filled ? target : std::min(due.queued + 1, target);
    before_s += mode.padded(due.program, count).time_s + settings_.switch_s;
    start_s = std::min(start_s, due.deadline_s - before_s);
  }
  return start_s;
}

// The largest batch that is filled. It exceeds the target only if the oldest request stays in time.
// Free places go to the youngest of the late requests.
Move Dispatcher::serve(double now_s, const LiveMode& mode, const LivePlan& plan,
                       const Due& due) const {
  const auto target = static_cast<std::size_t>(plan.batches[due.program]);
  const Minibatch* batch = &mode.padded(due.program, std::min(due.queued, target));
  for (const auto& other : mode.batches[due.program]) {
    const auto size = static_cast<std::size_t>(other.batch);
    if (size <= target || size > due.queued) continue;
    if (now_s + other.time_s <= due.deadline_s) batch = &other;
  }
  Move move;
  move.kind = Move::Kind::kServe;
  move.program = due.program;
  move.minibatch = *batch;
  const auto places = static_cast<std::size_t>(batch->batch);
  const std::size_t in_time = std::min(due.queued, places);
  const std::size_t filled_up = std::min(due.late, places - in_time);
  move.count = in_time + filled_up;
  move.aside = due.late - filled_up;
  return move;
}

Move Dispatcher::next(double now_s, const LiveMode& mode, const LivePlan& plan,
                      std::span<const Presence> presence, bool training_ready,
                      std::size_t next_training, std::size_t last) const {
  std::vector<std::size_t> late;
  const std::vector<Due> waiting = dues(now_s, mode, plan, presence, late);
  const double must_s = must_start_s(waiting, mode, plan, false);
  const auto is_ready = [&](std::size_t p) { return presence[p] == Presence::kReady; };
  // Chooses a full or due batch, earliest deadline first. A batch that it would make late goes
  // before it.
  const Due* chosen = nullptr;
  for (const auto& due : waiting) {
    if (!is_ready(due.program)) continue;
    const auto target = static_cast<std::size_t>(plan.batches[due.program]);
    if (due.queued >= target || now_s >= must_s) {
      chosen = &due;
      break;
    }
  }
  if (chosen != nullptr) {
    const double end_s = now_s + mode.padded(chosen->program, chosen->queued).time_s;
    for (const auto& due : waiting) {
      if (&due == chosen) break;
      const double needs_s = mode.padded(due.program, due.queued + 1).time_s;
      if (is_ready(due.program) && end_s + needs_s > due.deadline_s) {
        chosen = &due;
        break;
      }
    }
    return serve(now_s, mode, plan, *chosen);
  }
  const double free_until_s = must_start_s(waiting, mode, plan, true);
  for (std::size_t p = 0; p < late.size(); ++p) {  // late requests run if they delay no others
    if (late[p] == 0 || !is_ready(p)) continue;
    const auto target = static_cast<std::size_t>(plan.batches[p]);
    const Minibatch& batch = mode.padded(p, std::min(late[p], target));
    if (now_s + batch.time_s + settings_.switch_s > free_until_s) continue;
    Move move;
    move.kind = Move::Kind::kServe;
    move.program = p;
    move.count = std::min(late[p], static_cast<std::size_t>(batch.batch));
    move.minibatch = batch;
    return move;
  }
  if (plan.trains && training_ready && mode.training) {
    const auto& minibatches = mode.training->minibatches;
    const Minibatch& minibatch = minibatches[next_training % minibatches.size()];
    const double switch_s = last < queues_.size() ? settings_.switch_s : 0;
    if (now_s + minibatch.time_s + switch_s <= free_until_s) {
      Move move;
      move.kind = Move::Kind::kTrain;
      move.minibatch = minibatch;
      return move;
    }
    // Serves an unfilled batch if the device would otherwise idle.
    for (const auto& due : waiting) {
      if (is_ready(due.program)) return serve(now_s, mode, plan, due);
    }
  }
  Move move;
  move.until_s = std::max(must_s, now_s);
  return move;
}

}  // namespace ridgewatt::schedule::live
