#include "ridgewatt/schedule/live/live_book.h"

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/sort.h"
#include "ridgewatt/schedule/arrivals.h"

namespace ridgewatt::schedule::live {
namespace {

constexpr double kLiveRateStep = 1.05;
constexpr double kLiveTrialSeconds = 60;
constexpr double kTrialJitter = 0.03;
constexpr double kMostLateInTrial = kForgivenShare / 2;
// Number of plans to simulate: after the first that serves in time, in total, and without training.
constexpr std::size_t kMoreTrials = 6;
constexpr std::size_t kMostTrials = 40;
constexpr std::size_t kServingTrials = 6;
// Maximum number of combinations of batches that are all tried.
constexpr std::size_t kMostCombinations = 256;
constexpr std::size_t kMostRemembered = 4096;  // trials

}  // namespace

LiveBook::LiveBook(std::vector<LiveMode> modes, std::vector<LiveProgram> programs,
                   const DispatchSettings& settings, std::uint64_t seed)
    : planned_(std::move(modes)),
      modes_(planned_),
      programs_(std::move(programs)),
      settings_(settings),
      seed_(seed) {
  if (modes_.empty() || programs_.empty())
    throw UsageError("a plan needs at least one power mode and one program");
  for (const auto& program : programs_) {
    if (!(program.max_latency_s > 0) || !std::isfinite(program.max_latency_s)) {
      throw UsageError("each inference program needs a latency limit (max_latency_ms)",
                       program.name);
    }
  }
}

LiveBook::Steps LiveBook::steps_of(std::span<const double> rates_hz) const {
  Steps steps;
  for (const double rate : rates_hz) {
    const double at_least = std::max(rate, 0.01);
    steps.push_back(
        static_cast<int>(std::ceil(std::log(at_least) / std::log(kLiveRateStep) - 1e-9)));
  }
  return steps;
}

std::vector<double> LiveBook::rates_of(const Steps& steps) const {
  std::vector<double> rates;
  for (const int step : steps) rates.push_back(std::pow(kLiveRateStep, step));
  return rates;
}

// A batch of a program can collect requests for the latency bound minus the longest wait for other
// minibatches minus its own time. The number of collected requests gives the required minibatches
// per second.
std::optional<double> LiveBook::fill_hz(const LivePlan& plan,
                                        std::span<const double> rates_hz) const {
  const LiveMode& mode = modes_[plan.mode];
  const bool trains = plan.trains && mode.training;
  double all_s = trains ? mode.training->blocking_s + settings_.switch_s : 0;
  for (std::size_t p = 0; p < programs_.size(); ++p) {
    all_s += mode.padded(p, static_cast<std::size_t>(plan.batches[p])).time_s + settings_.switch_s;
  }
  double left = 1;
  for (std::size_t p = 0; p < programs_.size(); ++p) {
    const double bound_s =
        programs_[p].max_latency_s * (1 - settings_.reserve) - settings_.reserve_s;
    const double gather_s = bound_s - all_s;
    if (gather_s < 0) return std::nullopt;
    const double gathered =
        std::clamp(1 + rates_hz[p] * gather_s, 1.0, static_cast<double>(plan.batches[p]));
    const Minibatch& batch = mode.padded(p, static_cast<std::size_t>(std::ceil(gathered)));
    // Each minibatch adds two switches: one to this program, and one back.
    left -= (batch.time_s + 2 * settings_.switch_s) * rates_hz[p] / gathered;
  }
  return trains ? left / mode.training->time_s : left;
}

// Appends the best two combinations of batches in a mode.
void LiveBook::rank_mode(std::size_t mode, bool trains, std::span<const double> rates_hz,
                         std::vector<Ranked>& into) const {
  const auto& batches = modes_[mode].batches;
  std::size_t combinations = 1;
  for (const auto& known : batches) combinations *= known.size();
  LivePlan plan{mode, std::vector<int>(batches.size()), trains};
  std::vector<Ranked> found;
  const auto try_plan = [&] {
    const auto worth = fill_hz(plan, rates_hz);
    if (worth) found.push_back({*worth, plan});
  };
  if (combinations <= kMostCombinations) {
    for (std::size_t i = 0; i < combinations; ++i) {
      std::size_t rest = i;
      for (std::size_t p = 0; p < batches.size(); ++p) {
        plan.batches[p] = batches[p][rest % batches[p].size()].batch;
        rest /= batches[p].size();
      }
      try_plan();
    }
  } else {  // optimize one program at a time, starting from the smallest batches
    for (std::size_t p = 0; p < batches.size(); ++p) plan.batches[p] = batches[p].front().batch;
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t p = 0; p < batches.size(); ++p) {
        std::pair<double, int> best{-1e300, plan.batches[p]};
        for (const auto& batch : batches[p]) {
          plan.batches[p] = batch.batch;
          best = std::max(best, {fill_hz(plan, rates_hz).value_or(-1e300), batch.batch});
        }
        plan.batches[p] = best.second;
      }
    }
    try_plan();
  }
  sort_stably(found, [](const Ranked& a, const Ranked& b) { return a.worth > b.worth; });
  for (std::size_t i = 0; i < std::min<std::size_t>(found.size(), 2); ++i) {
    into.push_back(std::move(found[i]));
  }
}

std::vector<LiveBook::Ranked> LiveBook::ranked(bool trains,
                                               std::span<const double> rates_hz) const {
  std::vector<Ranked> order;
  for (std::size_t mode = 0; mode < modes_.size(); ++mode) {
    if (trains && !modes_[mode].training) continue;
    rank_mode(mode, trains, rates_hz, order);
  }
  sort_stably(order, [](const Ranked& a, const Ranked& b) { return a.worth > b.worth; });
  return order;
}

const LivePlan& LiveBook::choose(std::span<const double> rates_hz) {
  const Steps steps = steps_of(rates_hz);
  if (const auto known = choices_.find(steps); known != choices_.end()) return known->second;
  const auto rates = rates_of(steps);
  std::optional<std::pair<LivePlan, Trial>> best;
  std::size_t tried = 0, more = 0;
  for (const auto& [worth, plan] : ranked(true, rates)) {
    if (worth <= 0 || tried++ >= kMostTrials) break;
    if (best && more++ >= kMoreTrials) break;
    const Trial& seen = trial(plan, rates);
    if (seen.late_share > kMostLateInTrial) continue;
    if (!best || seen.training_hz > best->second.training_hz) best = {plan, seen};
  }
  if (best) return choices_[steps] = best->first;
  tried = 0;
  auto serving = ranked(false, rates);
  if (serving.empty()) {  // no mode is fast enough for the bounds: take the fastest
    for (std::size_t mode = 0; mode < modes_.size(); ++mode) {
      LivePlan plan{mode, {}, false};
      double sum_s = 0;
      for (const auto& batches : modes_[mode].batches) {
        plan.batches.push_back(batches.front().batch);
        sum_s += batches.front().time_s;
      }
      serving.push_back({-sum_s, std::move(plan)});
    }
    sort_stably(serving, [](const Ranked& a, const Ranked& b) { return a.worth > b.worth; });
  }
  for (const auto& entry : serving) {
    if (tried++ >= kServingTrials) break;
    const Trial& seen = trial(entry.plan, rates);
    if (!best || seen.late_share < best->second.late_share) best = {entry.plan, seen};
  }
  return choices_[steps] = best->first;
}

const Trial& LiveBook::trial(const LivePlan& plan, std::span<const double> rates_hz) {
  const Steps steps = steps_of(rates_hz);
  const std::pair<LivePlan, Steps> key{plan, steps};
  for (const auto& [known, result] : trials_) {
    if (known == key) return result;
  }
  if (trials_.size() >= kMostRemembered) {
    trials_.clear();
    choices_.clear();
  }
  const auto rates = rates_of(steps);
  std::vector<std::vector<double>> arrivals;
  for (std::size_t p = 0; p < rates.size(); ++p) {
    auto& known = arrivals_[{p, steps[p]}];
    if (known.empty()) {
      Random random = Random(seed_).fork(p);
      known = poisson_arrivals(rates[p], kLiveTrialSeconds, random);
      if (known.empty()) known.push_back(kLiveTrialSeconds / 2);
    }
    arrivals.push_back(known);
  }
  VirtualOptions options;
  options.duration_s = kLiveTrialSeconds;
  for (const auto& program : programs_) {  // leave time for the last requests
    options.duration_s = std::max(options.duration_s, kLiveTrialSeconds + program.max_latency_s);
  }
  options.jitter = kTrialJitter;
  options.seed = seed_;
  const VirtualRun run = run_virtual(modes_, plan, arrivals, settings_, options);
  Trial result;
  result.training_hz = run.training_rounds / options.duration_s;
  for (std::size_t p = 0; p < programs_.size(); ++p) {
    result.late_share = std::max(result.late_share,
                                 live::late_share(run.latencies_s[p], programs_[p].max_latency_s));
  }
  trials_.push_back({key, result});
  return trials_.back().second;
}

bool LiveBook::meets(const LivePlan& plan, std::span<const double> rates_hz) {
  return trial(plan, rates_hz).late_share <= kMostLateInTrial;
}

void LiveBook::correct(std::span<const TimeFactors> of_modes) {
  modes_ = planned_;
  for (std::size_t m = 0; m < modes_.size(); ++m) {
    const TimeFactors& factors = of_modes[m];
    for (std::size_t p = 0; p < programs_.size(); ++p) {
      for (auto& batch : modes_[m].batches[p]) batch.time_s *= factors.inference[p];
    }
    if (!modes_[m].training) continue;
    Round& round = *modes_[m].training;
    round.time_s *= factors.training;
    round.energy_j *= factors.training;
    round.blocking_s *= factors.training;
    for (auto& minibatch : round.minibatches) minibatch.time_s *= factors.training;
  }
  choices_.clear();
  trials_.clear();
}

}  // namespace ridgewatt::schedule::live
