#include "ridgewatt/schedule/simulate.h"

#include <algorithm>
#include <cmath>
#include <deque>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/schedule/simulation/ledger.h"

namespace ridgewatt::schedule {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

class Simulator {
 public:
  Simulator(const ServingPlan& serving, std::span<const double> arrivals,
            const SimulationOptions& options, Controller* controller)
      : options_(options),
        arrivals_(arrivals),
        controller_(controller),
        random_(options.seed),
        ledger_(options) {
    while (!arrivals_.empty() && arrivals_.back() > options_.duration_s) {
      arrivals_ = arrivals_.first(arrivals_.size() - 1);
    }
    result_.latencies_s.assign(arrivals_.size(), 0);
    next_epoch_s_ = controller_ != nullptr ? options_.epoch_s : kNever;
    use(serving);
  }

  Simulation run() {
    while (step()) {
    }
    finish();
    return std::move(result_);
  }

 private:
  void use(const ServingPlan& serving) {
    ledger_.count_idle(now_s_, serving_.candidate.idle_power_w);
    serving_ = serving;
    if (serving_.batches.empty() && serving_.candidate.inference) {
      serving_.batches = {*serving_.candidate.inference};
    }
    cycle_start_s_ = now_s_;
    rounds_ = 0;
  }

  // The smallest known batch that holds `count` requests, or the largest.
  const Minibatch& padded(std::size_t count) const {
    for (const auto& batch : serving_.batches) {
      if (static_cast<std::size_t>(batch.batch) >= count) return batch;
    }
    return serving_.batches.back();
  }
  // The batch to run when `queued` requests wait and the target is reached: the largest one that
  // they fill. A batch beyond the target must not make the oldest request late.
  const Minibatch& filled(std::size_t queued) const {
    const Minibatch* best = &padded(1);
    const bool is_late = now_s_ + padded(target()).time_s > latest_end_s(head_);
    for (const auto& batch : serving_.batches) {
      const auto size = static_cast<std::size_t>(batch.batch);
      if (size > queued) break;
      const bool in_time = now_s_ + batch.time_s <= latest_end_s(head_);
      if (size <= target() || in_time || is_late) best = &batch;
    }
    return *best;
  }
  double latest_end_s(std::size_t request) const {
    return arrivals_[request] + options_.max_latency_s;
  }

  bool is_native() const {
    return options_.sharing == Sharing::kNative || options_.sharing == Sharing::kNoInterference;
  }
  double interference() const {
    return options_.sharing == Sharing::kNative ? options_.interference
                                                : std::min(options_.interference, 1.0);
  }

  std::size_t target() const {
    return options_.sharing == Sharing::kPriority
               ? 1
               : static_cast<std::size_t>(serving_.candidate.infer().batch);
  }

  // Time to switch from the program that ran last to `program`.
  double switch_to(int program) {
    const bool other = last_ran_ != kNothingRan && last_ran_ != program;
    last_ran_ = program;
    return other ? serving_.candidate.switch_s : 0;
  }

  double jittered(double time_s) {
    if (options_.jitter <= 0) return time_s;
    const double sigma = std::sqrt(std::log1p(options_.jitter * options_.jitter));
    return time_s * std::exp(sigma * random_.normal() - sigma * sigma / 2);
  }

  // When the batch of the oldest request must start even if it is not full.
  double deadline_s(std::size_t oldest, std::size_t count) const {
    if (!options_.deadline_dispatch || oldest >= arrivals_.size()) return kNever;
    const double within_s = options_.max_latency_s * (1 - options_.deadline_reserve) -
                            padded(std::max<std::size_t>(count, 1)).time_s -
                            (serving_.candidate.background ? serving_.candidate.switch_s : 0);
    return arrivals_[oldest] + std::max(within_s, 0.0);
  }

  void record(Segment::Kind kind, double end_s, int batch, double power_w) {
    if (result_.timeline.size() < options_.timeline_segments) {
      result_.timeline.push_back({kind, now_s_, end_s, batch, power_w});
    }
    if (kind != Segment::Kind::kModeChange) {
      result_.peak_power_w = std::max(result_.peak_power_w, power_w);
      ledger_.count_busy(now_s_, end_s, power_w - serving_.candidate.idle_power_w);
    }
    now_s_ = end_s;
  }

  // Moves requests that a batch started now would not serve in time to `late_`.
  void set_late_aside() {
    if (!options_.late_last || !serving_.candidate.inference) return;
    while (head_ < tail_) {
      const double end_s = now_s_ + padded(std::min(tail_ - head_, target())).time_s;
      if (end_s <= latest_end_s(head_)) return;
      late_.push_back(head_++);
    }
  }

  // Serves the oldest `count` requests. Late requests fill the free places.
  void serve(std::size_t count, const Minibatch& batch) {
    const bool shared = is_native() && serving_.candidate.background;
    const double work_s = jittered(batch.time_s) + (shared ? 0 : switch_to(kInferenceRan));
    cycle_start_s_ = now_s_;
    rounds_ = 0;
    minibatch_ = 0;
    const double start_s = now_s_;
    const double end_s = start_s + (shared ? 2 * interference() * work_s : work_s);
    record(shared ? Segment::Kind::kShared : Segment::Kind::kInference, end_s,
           static_cast<int>(count),
           shared ? options_.shared_power_w.value_or(serving_.candidate.peak_power_w())
                  : batch.power_w);
    if (shared) {
      const double rounds = work_s / serving_.candidate.background->time_s;
      ledger_.count_training(start_s, now_s_, rounds, rounds);
    }
    for (std::size_t i = 0; i < count; ++i, ++head_)
      result_.latencies_s[head_] = now_s_ - arrivals_[head_];
    for (; count < static_cast<std::size_t>(batch.batch) && !late_.empty(); ++count) {
      result_.latencies_s[late_.front()] = now_s_ - arrivals_[late_.front()];
      late_.pop_front();
    }
    ++result_.inference_minibatches;
  }

  // Whether a background minibatch may start now.
  bool may_train(std::size_t queued) {
    const Candidate& candidate = serving_.candidate;
    if (!candidate.background || now_s_ >= options_.duration_s) return false;
    if (!candidate.inference || options_.sharing != Sharing::kManaged) return true;
    // A cycle without a batch ends when it is overdue. Then the next cycle begins.
    if (rounds_ >= serving_.training_per_cycle && overdue_s() > 0 &&
        now_s_ >= cycle_start_s_ + overdue_s()) {
      cycle_start_s_ = now_s_;
      rounds_ = 0;
    }
    if (rounds_ >= serving_.training_per_cycle && !options_.fill_idle) return false;
    return queued == 0 || !in_the_way();
  }
  // Whether a background minibatch started now could make the oldest request late if the batch
  // becomes full while it runs.
  bool in_the_way() const {
    if (!options_.deadline_dispatch || !serving_.candidate.background) return false;
    return now_s_ + serving_.candidate.background->minibatches[minibatch_].time_s +
               serving_.candidate.switch_s >
           deadline_s(head_, target());
  }

  double overdue_s() const { return kOverduePeriods * serving_.period_s; }

  // Runs one background minibatch. In native sharing, runs training until `until_s`.
  void train(double until_s) {
    const Round& round = *serving_.candidate.background;
    if (is_native() && serving_.candidate.inference) {
      const double start_s = now_s_;
      const double end_s = std::min(until_s, options_.duration_s);
      record(Segment::Kind::kTraining, end_s, 0, round.power_w);
      const double rounds = (end_s - start_s) / round.time_s;
      ledger_.count_training(start_s, now_s_, rounds, rounds);
      return;
    }
    const Minibatch& minibatch = round.minibatches[minibatch_];
    const double start_s = now_s_;
    const double switch_s = switch_to(static_cast<int>(minibatch_));
    record(Segment::Kind::kTraining, start_s + jittered(minibatch.time_s) + switch_s, 0,
           minibatch.power_w);
    const bool ended = ++minibatch_ == round.minibatches.size();
    ledger_.count_training(start_s, now_s_, minibatch.time_s / round.time_s, ended ? 1 : 0);
    if (ended) {
      minibatch_ = 0;
      ++rounds_;
    }
  }

  void ask_controller() {
    next_epoch_s_ = (std::floor(now_s_ / options_.epoch_s) + 1) * options_.epoch_s;
    const auto serving = controller_->decide(now_s_, arrivals_.first(tail_));
    if (!serving) return;
    const bool other_mode = serving->candidate.mode != serving_.candidate.mode;
    if (other_mode) {
      ++result_.mode_changes;
      record(Segment::Kind::kModeChange, now_s_ + options_.mode_change_s, 0, 0);
    }
    use(*serving);
  }

  // Takes one decision. Returns false at the end of the simulation.
  bool step() {
    while (tail_ < arrivals_.size() && arrivals_[tail_] <= now_s_) ++tail_;
    result_.longest_queue = std::max(result_.longest_queue, tail_ - head_ + late_.size());
    set_late_aside();
    const std::size_t queued = tail_ - head_;
    const bool over = now_s_ >= options_.duration_s;
    if (now_s_ >= next_epoch_s_ && !over) {
      ask_controller();
      return true;
    }
    if (over && queued == 0 && late_.empty()) return false;
    if (serving_.candidate.inference && queued > 0) {
      const bool flush = tail_ == arrivals_.size() && over && options_.deadline_dispatch;
      // Serve an unfilled batch if the device would otherwise idle.
      const bool nothing_else = options_.fill_idle && in_the_way();
      const bool due = now_s_ >= deadline_s(head_, queued + 1) || flush || nothing_else;
      if (queued >= target()) {
        const Minibatch& batch =
            options_.sharing == Sharing::kPriority ? padded(queued) : filled(queued);
        serve(std::min(queued, static_cast<std::size_t>(batch.batch)), batch);
        return true;
      }
      if (due) {
        serve(queued, padded(queued));
        return true;
      }
      if (over && late_.empty()) return false;  // an unfilled batch that nothing starts
    }
    if (!serve_late()) wait_or_train(queued);
    return true;
  }

  // Serves late requests if this does not delay a batch that is due.
  bool serve_late() {
    if (late_.empty() || !serving_.candidate.inference) return false;
    const Minibatch& batch = padded(std::min(late_.size(), target()));
    const bool over = now_s_ >= options_.duration_s;
    const bool in_the_way = head_ < tail_ && now_s_ + batch.time_s > deadline_s(head_, target());
    if (in_the_way && !over) return false;
    serve(0, batch);
    return true;
  }

  void wait_or_train(std::size_t queued) {
    double until_s = std::min(next_epoch_s_, options_.duration_s);
    if (serving_.candidate.inference) {
      const std::size_t last = head_ + target() - 1;
      if (last < arrivals_.size()) until_s = std::min(until_s, arrivals_[last]);
      until_s = std::min(until_s, deadline_s(head_, queued + 1));
    }
    if (may_train(queued)) {
      train(until_s);
      return;
    }
    // Training may become possible again in the next cycle or after the next arrival.
    if (serving_.candidate.background && rounds_ >= serving_.training_per_cycle &&
        overdue_s() > 0 && cycle_start_s_ + overdue_s() > now_s_) {
      until_s = std::min(until_s, cycle_start_s_ + overdue_s());
    }
    if (tail_ < arrivals_.size()) until_s = std::min(until_s, arrivals_[tail_]);
    now_s_ = std::max(until_s, std::nextafter(now_s_, kNever));
  }

  void finish() {
    ledger_.count_idle(options_.duration_s, serving_.candidate.idle_power_w);
    ledger_.add_to(result_);
    result_.requests = head_;
    result_.unserved = arrivals_.size() - head_;
    result_.latencies_s.resize(head_);
    add_latency_statistics(arrivals_, options_, result_);
  }

  const SimulationOptions& options_;
  std::span<const double> arrivals_;
  Controller* controller_;
  Random random_;
  ServingPlan serving_;
  Simulation result_;
  Ledger ledger_;
  double now_s_ = 0, next_epoch_s_ = kNever, cycle_start_s_ = 0;
  std::size_t head_ = 0, tail_ = 0;  // requests [head, tail) wait
  std::deque<std::size_t> late_;     // and these late requests
  int rounds_ = 0;                   // background rounds of this cycle
  std::size_t minibatch_ = 0;        // position in the round
  // The program that ran last: a position in the round, or one of these.
  static constexpr int kInferenceRan = -1, kNothingRan = -2;
  int last_ran_ = kNothingRan;
};

}  // namespace

Simulation simulate(const ServingPlan& serving, std::span<const double> arrivals,
                    const SimulationOptions& options, Controller* controller) {
  options.check();
  if (!std::is_sorted(arrivals.begin(), arrivals.end())) {
    throw UsageError("the arrival times must be in ascending order");
  }
  return Simulator(serving, arrivals, options, controller).run();
}

}  // namespace ridgewatt::schedule
