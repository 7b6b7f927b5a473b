#include "ridgewatt/govern/policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "ridgewatt/base/check_option.h"
#include "ridgewatt/base/statistics.h"

namespace ridgewatt::govern {
namespace {

// Prior share of time in which a program works, and the weight of this prior in seconds.
constexpr double kUsualShare = 0.98, kUsualShareS = 1800;
// Scale of the distance in log rate over which a better mode still helps the plan.
constexpr double kNearRate = 0.35;
constexpr double kTrialSetS = 2;  // settling time that a trial costs
// A slower mode may run first if it reaches this share of the required rate.
constexpr double kNearlyFast = 0.97;

constexpr char kTrialReason[] = "tried";
// Number of standard deviations from which a mode counts as changed.
constexpr double kChanged = 2.5;

twin::TimePower seen_in(const Window& window) {
  // With a pause, the mean power is neither that of work nor that of rest.
  const bool whole = window.paused_s <= 0 && window.energy_j > 0;
  return {(window.duration_s - window.paused_s) / window.minibatches,
          whole ? window.energy_j / window.duration_s : 0};
}

// The lowest power of a mix of `of` and another option at a given rate, or the highest rate at a
// given power.
struct Mixed {
  double value = 0;
  double share = 0;  // time share of `of`
  bool found = false;
};

Mixed best_with(const std::vector<RatePower>& options, std::size_t of, bool at_rate,
                double wanted) {
  const auto axis = [&](std::size_t i) {
    return at_rate ? options[i].rate_hz : options[i].power_w;
  };
  const auto value = [&](std::size_t i) {
    return at_rate ? options[i].power_w : options[i].rate_hz;
  };
  Mixed best;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const double here = axis(of), there = axis(i);
    if (here == there || (wanted - here) * (wanted - there) > 0) continue;
    const double share = (wanted - there) / (here - there);
    const double mixed = share * value(of) + (1 - share) * value(i);
    const bool better = at_rate ? mixed < best.value : mixed > best.value;
    if (!best.found || better) best = {mixed, share, true};
  }
  return best;
}

}  // namespace

void PolicyOptions::check() const {
  belief.check();
  const auto positive = [](double value, const char* field) {
    require_option(value > 0 && std::isfinite(value), field, value, "positive");
  };
  const auto share = [](double value, const char* field) {
    require_option(value >= 0 && value < 1, field, value, "a share below 1");
  };
  positive(step_s, "PolicyOptions::step_s");
  positive(least_step_s, "PolicyOptions::least_step_s");
  positive(trial_s, "PolicyOptions::trial_s");
  share(margin, "PolicyOptions::margin");
  share(budget_margin, "PolicyOptions::budget_margin");
  share(hysteresis, "PolicyOptions::hysteresis");
  share(trial_share, "PolicyOptions::trial_share");
  require_option(caution >= 0, "PolicyOptions::caution", caution, "0 or more");
  require_option(trial_cost >= 0, "PolicyOptions::trial_cost", trial_cost, "0 or more");
  require_option(rate_headroom >= 0, "PolicyOptions::rate_headroom", rate_headroom, "0 or more");
}

Policy::Policy(const Goal& goal, ModePrior prior, std::vector<double> idle_w,
               const PolicyOptions& options)
    : goal_(goal),
      options_(options),
      belief_(std::move(prior), options.belief),
      idle_w_(std::move(idle_w)) {
  goal_.check();
  options_.check();
  if (belief_.size() == 0) throw UsageError("the governor has no power mode to choose from");
  if (idle_w_.size() != belief_.size()) throw UsageError("each mode needs an idle power");
  rest_ =
      static_cast<std::size_t>(std::min_element(idle_w_.begin(), idle_w_.end()) - idle_w_.begin());
}

double Policy::working_share() const {
  return (working_s_ + kUsualShare * kUsualShareS) / (seen_s_ + kUsualShareS);
}

double Policy::idle_w(std::size_t mode) const {
  return idle_w_[mode] * rest_factor_;
}

void Policy::see_rest(double power_w) {
  if (power_w > 0 && std::isfinite(power_w) && idle_w_[rest_] > 0) {
    rest_factor_ = power_w / idle_w_[rest_];
  }
}

std::vector<char> Policy::allowed() const {
  std::vector<char> allowed(belief_.size(), 1);
  if (goal_.power_w == Goal::kNone) return allowed;
  std::size_t least = 0;
  for (std::size_t i = 0; i < belief_.size(); ++i) {
    const double power_w = belief_.now(i).power_w;
    allowed[i] = power_w * std::exp(options_.caution * belief_.power_sd(i)) <= goal_.power_w;
    if (power_w < belief_.now(least).power_w) least = i;
  }
  if (std::count(allowed.begin(), allowed.end(), 1) == 0) allowed[least] = 1;
  return allowed;
}

Policy::Menu Policy::menu(double horizon_s) const {
  Menu menu;
  const auto may = allowed();
  for (std::size_t i = 0; i < belief_.size(); ++i) {
    if (may[i] == 0) continue;
    const twin::TimePower cost = belief_.later(i, horizon_s);
    menu.options.push_back({1 / cost.time_s, cost.power_w});
    menu.modes.push_back(i);
  }
  menu.options.push_back({0, idle_w(rest_)});
  menu.modes.push_back(kRest);
  return menu;
}

double Policy::step_s(double left_s) const {
  return std::clamp(left_s / 20, options_.least_step_s,
                    std::max(options_.least_step_s, options_.step_s));
}

std::size_t Policy::first_of(const Menu& menu, const Mix& best, bool at_rate, double left_s) const {
  const double least_share = std::min(0.5, 0.5 * step_s(left_s) / std::max(left_s, 1e-9));
  std::size_t first = best.high_share >= least_share ? best.high : best.low;
  if (at_rate && menu.modes[first] == kRest) first = best.high;  // rest comes after the work
  if (!current_) return first;
  const auto at = std::find(menu.modes.begin(), menu.modes.end(), *current_);
  if (at == menu.modes.end()) return first;  // no longer allowed
  const auto now = static_cast<std::size_t>(at - menu.modes.begin());
  if (now == first || menu.modes[first] == kRest) return first;
  const double wanted = at_rate ? best.rate_hz : best.power_w;
  const Mixed with = best_with(menu.options, now, at_rate, wanted);
  if (!with.found || with.share < least_share) return first;
  if (menu.options[now].rate_hz < kNearlyFast * best.rate_hz) return first;
  const bool good = at_rate ? with.value <= best.power_w * (1 + options_.hysteresis)
                            : with.value >= best.rate_hz * (1 - options_.hysteresis);
  return good ? now : first;
}

bool Policy::saves_more_than_it_costs(double gap, double gap_sd, double weight,
                                      double left_s) const {
  const double saved_s = weight * expected_improvement(gap, gap_sd, 0) * left_s;
  const double cost_s = std::max(gap, 0.0) * options_.trial_s + kTrialSetS;
  return saved_s > options_.trial_cost * cost_s;
}

// Energies are expressed as seconds at the plan's power.
std::optional<std::size_t> Policy::worth_a_trial(const Menu& menu, const Mix& best,
                                                 double left_s) const {
  if (!known(current_) || left_s < 20 * options_.trial_s ||
      trial_s_ > options_.trial_share * seen_s_ + options_.trial_s)
    return std::nullopt;
  const RateHull hull(menu.options);
  const std::size_t reference = menu.modes[best.high] == kRest ? rest_ : menu.modes[best.high];
  const double near_hz =
      menu.modes[best.low] == kRest ? menu.options[best.high].rate_hz : best.rate_hz;
  std::optional<std::size_t> chosen;
  double most = 0;
  for (std::size_t i = 0; i < menu.modes.size(); ++i) {
    if (menu.modes[i] == kRest || belief_.seen(menu.modes[i]) > 0) continue;
    const double rate_hz = menu.options[i].rate_hz;
    const auto at = hull.at_rate(rate_hz);
    const auto slower = hull.at_rate(0.97 * rate_hz);
    if (!at || !slower) continue;
    const double elasticity = std::log(at->power_w / slower->power_w) / -std::log(0.97);
    const double gap = std::log(menu.options[i].power_w / at->power_w);
    const double gap_sd = belief_.gap_sd(menu.modes[i], reference, elasticity);
    const double apart = std::log(rate_hz / near_hz) / kNearRate;
    const double weight = std::exp(-apart * apart);
    if (!saves_more_than_it_costs(gap, gap_sd, weight, left_s)) continue;
    const double promise = weight * expected_improvement(gap, gap_sd, 0);
    if (promise > most) most = promise, chosen = i;
  }
  return chosen;
}

Decision Policy::plan_job(const Standing& standing) {
  Decision next;
  const double work = goal_.minibatches - standing.minibatches;
  const double left_s = goal_.end_s * (1 - options_.margin) - standing.now_s;
  if (!(work > 0)) {
    next.for_s = std::max(goal_.end_s - standing.now_s, 0.0);
    next.reason = "the job is done";
    return next;
  }
  const double rate_hz = left_s > 0 ? work / (working_share() * left_s) : Goal::kNone;
  const Menu menu = this->menu(std::max(left_s, 0.0));
  const RateHull hull(menu.options);
  const auto best = hull.at_rate(rate_hz);
  if (!best) {
    const std::size_t fastest = hull.corners().back();
    next.mode = menu.modes[fastest];
    next.reachable = false;
    next.for_s = step_s(left_s);
    next.end_s = standing.now_s + work / (working_share() * menu.options[fastest].rate_hz);
    next.energy_j =
        standing.energy_j + menu.options[fastest].power_w * (next.end_s - standing.now_s);
    next.reason = "as fast as it can";
    return next;
  }
  std::size_t first = first_of(menu, *best, true, left_s);
  next.for_s = step_s(left_s);
  next.reason = menu.modes[first] == current_ ? "goes on" : "planned";
  if (rate_hz < 0.95 * hull.highest_rate_hz()) {
    if (const auto trial = worth_a_trial(menu, *best, left_s)) {
      first = *trial;
      next.for_s = options_.trial_s;
      next.reason = kTrialReason;
    }
  }
  next.mode = menu.modes[first];
  next.end_s = menu.modes[best->low] == kRest ? standing.now_s + best->high_share * left_s
                                              : standing.now_s + left_s;
  next.energy_j = standing.energy_j + best->power_w * left_s;
  next.minibatches = goal_.minibatches;
  // Not longer than the remaining work.
  const double last_s = work / (working_share() * menu.options[first].rate_hz);
  next.for_s = std::min(next.for_s, std::max(last_s, options_.least_step_s / 4));
  return next;
}

Decision Policy::plan_budget(const Standing& standing) {
  Decision next;
  const double left_s = goal_.end_s - standing.now_s;
  const double left_j = goal_.energy_j * (1 - options_.budget_margin) - standing.energy_j;
  next.for_s = step_s(std::max(left_s, 0.0));
  next.end_s = goal_.end_s;
  const Menu menu = this->menu(std::max(left_s, 0.0));
  const RateHull hull(menu.options);
  const auto best = left_s > 0 ? hull.at_power(left_j / left_s) : std::nullopt;
  if (!best) {
    next.reachable = left_s <= 0;
    next.reason = "the budget is used";
    next.energy_j = standing.energy_j + idle_w(rest_) * std::max(left_s, 0.0);
    next.minibatches = standing.minibatches;
    return next;
  }
  std::size_t first = first_of(menu, *best, false, left_s);
  next.reason = menu.modes[first] == kRest      ? "the budget is used"
                : menu.modes[first] == current_ ? "goes on"
                                                : "planned";
  if (menu.modes[first] != kRest) {
    if (const auto trial = worth_a_trial(menu, *best, left_s)) {
      first = *trial;
      next.for_s = options_.trial_s;
      next.reason = kTrialReason;
    }
    next.mode = menu.modes[first];
  }
  next.energy_j = standing.energy_j + best->power_w * left_s;
  next.minibatches = standing.minibatches + best->rate_hz * working_share() * left_s;
  return next;
}

Decision Policy::plan_cap() const {
  Decision next;
  const auto may = allowed();
  std::size_t best = 0;
  bool found = false;
  for (std::size_t i = 0; i < may.size(); ++i) {
    if (may[i] == 0) continue;
    if (!found || belief_.now(i).time_s < belief_.now(best).time_s) best = i;
    found = true;
  }
  if (current_ && may[*current_] != 0 &&
      belief_.now(*current_).time_s <= belief_.now(best).time_s * (1 + options_.hysteresis)) {
    best = *current_;
  }
  next.mode = best;
  next.for_s = options_.step_s;
  next.reachable = belief_.now(best).power_w <= goal_.power_w;
  next.reason = current_ == best ? "goes on" : "planned";
  return next;
}

Decision Policy::plan_latency(const Standing& standing) const {
  Decision next;
  next.for_s = options_.step_s;
  const auto may = allowed();
  const double rate_hz = standing.rate_hz * (1 + options_.rate_headroom);
  const auto load_w = [&](std::size_t i) {
    const twin::TimePower cost = belief_.now(i);
    const double use = std::min(1.0, standing.rate_hz * cost.time_s / goal_.batch);
    return use * cost.power_w + (1 - use) * idle_w(i);
  };
  const auto in_time = [&](std::size_t i) {
    const double time_s = belief_.now(i).time_s * std::exp(options_.caution * belief_.time_sd(i));
    return latency_s(rate_hz, goal_.batch, time_s) <= goal_.latency_s;
  };
  std::optional<std::size_t> best, fastest;
  for (std::size_t i = 0; i < may.size(); ++i) {
    if (may[i] == 0) continue;
    if (!fastest || belief_.now(i).time_s < belief_.now(*fastest).time_s) fastest = i;
    if (in_time(i) && (!best || load_w(i) < load_w(*best))) best = i;
  }
  next.reachable = best.has_value();
  if (best && current_ && may[*current_] != 0 && in_time(*current_) &&
      load_w(*current_) <= load_w(*best) * (1 + options_.hysteresis)) {
    best = current_;
  }
  next.mode = best ? best : fastest;
  next.reason = !best ? "as fast as it can" : current_ == best ? "goes on" : "planned";
  return next;
}

Decision Policy::decide(const Standing& standing) {
  Decision next;
  switch (goal_.kind()) {
    case GoalKind::kDeadline:
      next = plan_job(standing);
      break;
    case GoalKind::kEnergy:
      next = plan_budget(standing);
      break;
    case GoalKind::kPower:
      next = plan_cap();
      break;
    case GoalKind::kLatency:
      next = plan_latency(standing);
      break;
  }
  // After a trial, run the previous mode again for comparison.
  if (pending_ && current_ && next.mode && allowed()[*current_] != 0) {
    next.mode = current_;
    next.for_s = std::min(next.for_s, options_.trial_s);
    next.reason = "compared";
  }
  // A mode without observations starts with a trial if there is time.
  if (next.mode && known(current_) && next.mode != current_ && belief_.seen(*next.mode) == 0 &&
      next.for_s > options_.trial_s) {
    next.reason = kTrialReason;
    next.for_s = options_.trial_s;
  }
  trying_ = next.reason == kTrialReason;
  if (trying_) {
    ++trials_;
    trial_s_ += next.for_s;
  } else {
    current_ = next.mode;
  }
  return next;
}

bool Policy::known(std::optional<std::size_t> mode) const {
  return mode && belief_.seen(*mode) > 0;
}

void Policy::learn(const Window& window) {
  belief_.learn(window.mode, seen_in(window), window.time_sd, window.power_sd);
}

void Policy::see(const Window& window) {
  belief_.pass(window.duration_s);
  seen_s_ += window.duration_s;
  const double working_s = std::max(window.duration_s - window.paused_s, 0.0);
  working_s_ += working_s;
  const bool trial = std::exchange(trying_, false);
  if (!(window.minibatches > 0) || !(working_s > 0)) return;
  // If the previous mode is above the cap, it does not run again, so the trial counts by itself.
  if (trial && known(current_) && allowed()[*current_] != 0) {
    pending_ = window;
    return;
  }
  if (pending_ && window.mode == current_) {
    const bool same =
        belief_.surprise(window.mode, seen_in(window), window.time_sd, window.power_sd) < kChanged;
    if (same) learn(*pending_);
  }
  pending_.reset();
  learn(window);
}

}  // namespace ridgewatt::govern
