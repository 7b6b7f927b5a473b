#include "ridgewatt/schedule/live/virtual_board.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "ridgewatt/base/random.h"

namespace ridgewatt::schedule::live {
namespace {

class VirtualBoard {
 public:
  VirtualBoard(const std::vector<LiveMode>& modes, LivePlan plan,
               std::span<const std::vector<double>> arrivals, const DispatchSettings& settings,
               const VirtualOptions& options, const Replan& replan)
      : modes_(modes),
        plan_(std::move(plan)),
        arrivals_(arrivals),
        settings_(settings),
        options_(options),
        replan_(replan),
        dispatcher_(settings),
        random_(options.seed),
        heads_(arrivals.size(), 0),
        presence_(arrivals.size(), Presence::kReady),
        last_(arrivals.size()) {
    for (const auto& times : arrivals_) run_.latencies_s.emplace_back(times.size(), -1.0);
  }

  VirtualRun run() {
    double next_epoch_s = replan_ ? options_.epoch_s : kForever;
    while (now_s_ < options_.duration_s) {
      admit();
      if (now_s_ >= next_epoch_s) {
        next_epoch_s = (std::floor(now_s_ / options_.epoch_s) + 1) * options_.epoch_s;
        ask();
        continue;
      }
      const Move move = dispatcher_.next(now_s_, modes_[plan_.mode], plan_, presence_, plan_.trains,
                                         minibatch_, last_);
      if (move.kind == Move::Kind::kWait) {
        const double until_s = std::min({move.until_s, next_arrival_s(), next_epoch_s});
        now_s_ = std::max(until_s, std::nextafter(now_s_, kForever));
      } else {
        do_move(move);
      }
    }
    return std::move(run_);
  }

 private:
  static constexpr double kForever = std::numeric_limits<double>::infinity();

  void admit() {
    for (std::size_t p = 0; p < arrivals_.size(); ++p) {
      while (heads_[p] < arrivals_[p].size() && arrivals_[p][heads_[p]] <= now_s_) {
        dispatcher_.arrive(p, arrivals_[p][heads_[p]++]);
      }
    }
  }
  double next_arrival_s() const {
    double next_s = kForever;
    for (std::size_t p = 0; p < arrivals_.size(); ++p) {
      if (heads_[p] < arrivals_[p].size()) next_s = std::min(next_s, arrivals_[p][heads_[p]]);
    }
    return next_s;
  }
  void ask() {
    std::vector<std::span<const double>> so_far;
    for (std::size_t p = 0; p < arrivals_.size(); ++p) {
      so_far.push_back(std::span<const double>(arrivals_[p]).first(heads_[p]));
    }
    const auto other = replan_(now_s_, so_far);
    if (!other) return;
    ++run_.plan_changes;
    if (other->mode != plan_.mode) {
      ++run_.mode_changes;
      now_s_ += options_.mode_change_s;
    }
    plan_ = *other;
  }
  double jittered(double time_s) {
    if (options_.jitter <= 0) return time_s;
    const double sigma = std::sqrt(std::log1p(options_.jitter * options_.jitter));
    return time_s * std::exp(sigma * random_.normal() - sigma * sigma / 2);
  }
  // True duration of the minibatch, which may differ from the planned one.
  double true_time_s(const Move& move) const {
    if (options_.truth == nullptr) return move.minibatch.time_s;
    const LiveMode& truth = (*options_.truth)[plan_.mode];
    if (move.kind == Move::Kind::kServe) {
      return truth.padded(move.program, static_cast<std::size_t>(move.minibatch.batch)).time_s;
    }
    return truth.training->minibatches[minibatch_ % truth.training->minibatches.size()].time_s;
  }
  void do_move(const Move& move) {
    const bool training = move.kind == Move::Kind::kTrain;
    const std::size_t who = training ? arrivals_.size() : move.program;
    const double start_s = now_s_;
    now_s_ += jittered(true_time_s(move)) + (who == last_ ? 0 : settings_.switch_s);
    run_.energy_j += (now_s_ - start_s) * move.minibatch.power_w;
    last_ = who;
    if (run_.grants.size() < options_.most_grants) {
      run_.grants.push_back({training, move.program, start_s, now_s_});
    }
    if (training) {
      ++minibatch_;
      const auto& round = *modes_[plan_.mode].training;
      run_.training_rounds += 1.0 / static_cast<double>(round.minibatches.size());
      return;
    }
    for (const double arrival_s : dispatcher_.take(move.program, move.count, move.aside)) {
      const auto& times = arrivals_[move.program];
      auto at = static_cast<std::size_t>(std::lower_bound(times.begin(), times.end(), arrival_s) -
                                         times.begin());
      auto& latencies = run_.latencies_s[move.program];
      while (latencies[at] >= 0) ++at;  // several requests may arrive at the same time
      latencies[at] = now_s_ - arrival_s;
    }
  }

  const std::vector<LiveMode>& modes_;
  LivePlan plan_;
  std::span<const std::vector<double>> arrivals_;
  const DispatchSettings& settings_;
  const VirtualOptions& options_;
  const Replan& replan_;
  Dispatcher dispatcher_;
  Random random_;
  std::vector<std::size_t> heads_;
  std::vector<Presence> presence_;
  std::size_t last_ = 0, minibatch_ = 0;
  double now_s_ = 0;
  VirtualRun run_;
};

}  // namespace

VirtualRun run_virtual(const std::vector<LiveMode>& modes, LivePlan plan,
                       std::span<const std::vector<double>> arrivals,
                       const DispatchSettings& settings, const VirtualOptions& options,
                       const Replan& replan) {
  return VirtualBoard(modes, std::move(plan), arrivals, settings, options, replan).run();
}

double late_share(std::span<const double> latencies_s, double max_latency_s) {
  if (latencies_s.empty()) return 0;
  const auto late = std::count_if(latencies_s.begin(), latencies_s.end(), [&](double latency_s) {
    return latency_s < 0 || latency_s > max_latency_s * (1 + 1e-9);
  });
  return static_cast<double>(late) / static_cast<double>(latencies_s.size());
}

}  // namespace ridgewatt::schedule::live
