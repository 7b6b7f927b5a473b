#include "ridgewatt/schedule/cycle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/error.h"

namespace ridgewatt::schedule {

const Minibatch Candidate::kNoMinibatch = {};
const Round Candidate::kNoRound = {};

Round Round::of(const Minibatch& minibatch) {
  Round round;
  round.add(minibatch, minibatch.time_s * minibatch.power_w, 0);
  return round;
}

void Round::add(const Minibatch& minibatch, double minibatch_energy_j, double required_samples_hz) {
  const int batch = std::max(1, minibatch.batch);
  if (minibatches.empty()) samples = 0;
  time_s += minibatch.time_s;
  power_w = std::max(power_w, minibatch.power_w);
  energy_j += minibatch_energy_j;
  blocking_s = std::max(blocking_s, minibatch.time_s);
  samples += batch;
  required_hz = std::max(required_hz, required_samples_hz / batch);
  minibatches.push_back(minibatch);
}

double round_switch_s(const Candidate& candidate) {
  const std::size_t programs = candidate.train().minibatches.size();
  return programs > 1 ? candidate.switch_s * static_cast<double>(programs) : 0;
}

Cycle make_cycle(const Candidate& candidate, double arrival_rate_hz, Bound bound) {
  const Minibatch& infer = candidate.infer();
  const Round& train = candidate.train();
  Cycle cycle;
  cycle.peak_power_w = candidate.peak_power_w();
  const double round_s = train.time_s + round_switch_s(candidate);
  // One switch to the inference and, with a single training program, one back.
  double switches_s = 0;
  if (!candidate.inference) {  // training alone: round after round
    cycle.stable = true;
    cycle.period_s = round_s;
    cycle.training_minibatches = 1;
  } else {
    cycle.period_s = infer.batch / arrival_rate_hz;
    cycle.stable = infer.time_s <= cycle.period_s;
    if (cycle.stable && candidate.background) {
      const bool one = candidate.background->minibatches.size() <= 1;
      switches_s = candidate.switch_s * (one ? 2 : 1);
      const double left_s = std::max(0.0, cycle.period_s - infer.time_s - switches_s);
      // The small addend makes 0.6 / 0.2 give 3.
      cycle.training_minibatches =
          static_cast<int>(std::min(std::floor(left_s / round_s + 1e-9), 1e9));
      if (cycle.training_minibatches == 0) switches_s = 0;
    }
    // In an overload no training runs.
    if (!cycle.stable) cycle.peak_power_w = infer.power_w;
    const double gathered = bound == Bound::kPublished ? infer.batch : infer.batch - 1;
    cycle.latency_s = gathered / arrival_rate_hz + infer.time_s;
    if (switches_s > 0) cycle.latency_s += candidate.switch_s;
    if (bound == Bound::kStrict) {
      // Applies even if no training minibatch is planned: one that fills a gap adds a switch to it
      // and a switch back.
      const int more = candidate.background ? (switches_s > 0 ? 1 : 2) : 0;
      cycle.latency_s += train.blocking_s + more * candidate.switch_s;
    }
  }
  const double n = cycle.training_minibatches;
  const double busy_s = infer.time_s + switches_s + n * round_s;
  // During a switch, the power is that of the next program. Half of the switches go to the
  // inference.
  const double switch_power_w = candidate.inference ? (infer.power_w + train.power_w) / 2 : 0;
  const double energy_j = infer.time_s * infer.power_w + switches_s * switch_power_w +
                          n * (train.energy_j + round_switch_s(candidate) * train.power_w);
  cycle.training_throughput_hz = n / cycle.period_s;
  cycle.busy_power_w = busy_s > 0 ? energy_j / busy_s : 0;
  // In an overload, batches run back to back: a batch then takes longer than its period.
  cycle.busy_energy_w = energy_j / std::max(cycle.period_s, busy_s);
  cycle.utilization = std::min(1.0, busy_s / cycle.period_s);
  cycle.mean_power_w = cycle.busy_energy_w + candidate.idle_power_w * (1 - cycle.utilization);
  return cycle;
}

double fill_throughput_hz(const Candidate& candidate, double arrival_rate_hz) {
  const Minibatch& infer = candidate.infer();
  const double switch_s = candidate.background ? 2 * candidate.switch_s : 0;
  const double left =
      candidate.inference ? 1 - (infer.time_s + switch_s) * arrival_rate_hz / infer.batch : 1;
  if (!candidate.background) return std::max(left, 0.0);
  return std::max(left, 0.0) / (candidate.background->time_s + round_switch_s(candidate));
}

EarlyDispatch early_dispatch(const Candidate& candidate, double arrival_rate_hz,
                             double max_latency_s) {
  const Minibatch& infer = candidate.infer();
  const double switch_s = candidate.background ? candidate.switch_s : 0;
  const double gather_s =
      max_latency_s - infer.time_s - candidate.train().blocking_s - 2 * switch_s;
  EarlyDispatch result;
  result.requests =
      std::clamp(1 + arrival_rate_hz * gather_s, 1.0, static_cast<double>(infer.batch));
  result.fill_hz = 1 - (infer.time_s + 2 * switch_s) * arrival_rate_hz / result.requests;
  if (candidate.background) {
    result.fill_hz /= candidate.background->time_s + round_switch_s(candidate);
  }
  return result;
}

void PlanProblem::check(bool has_inference) const {
  const auto positive = [](double value, const char* what) {
    if (!(value > 0)) throw UsageError(fmt::format("{} must be positive", what));
  };
  if (has_inference) {
    positive(arrival_rate_hz, "the arrival rate");
    if (!std::isfinite(arrival_rate_hz)) throw UsageError("the arrival rate must be finite");
  }
  positive(max_latency_s, "the latency bound");
  positive(max_power_w, "the power budget");
}

double violation(const Candidate& candidate, const Cycle& cycle, const PlanProblem& problem) {
  double worst = 0;
  const auto over = [&](double value, double limit) { worst = std::max(worst, value / limit - 1); };
  over(cycle.peak_power_w, problem.max_power_w);
  if (candidate.inference) {
    over(cycle.latency_s, problem.max_latency_s);
    over(candidate.inference->time_s, cycle.period_s);
  }
  const double required_hz = candidate.train().required_hz;
  if (required_hz > cycle.training_throughput_hz) {
    worst = std::max(worst, 1 - cycle.training_throughput_hz / required_hz);
  }
  return worst;
}

}  // namespace ridgewatt::schedule
