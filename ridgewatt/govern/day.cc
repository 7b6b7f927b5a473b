#include "ridgewatt/govern/day.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "ridgewatt/base/check_option.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/random.h"

namespace ridgewatt::govern {
namespace {

constexpr double kDayS = 24 * 3600.0;
constexpr double kOverTheCap = 1.02;
constexpr double kMostOver = 0.01;  // share of windows in which a fixed mode may exceed the cap
constexpr double kMostLate = 0.03;  // share of requests that a fixed mode may serve late
constexpr std::size_t kTried = 64;  // number of fixed modes that are simulated
constexpr double kRestS = 10;
constexpr double kMidCelsius = 40;  // board temperature for which the twin's powers are valid

// Simulates a program on the board, tick by tick.
class Play {
 public:
  Play(const DayBoard& board, const Day& day)
      : board_(board),
        day_(day),
        random_(Random(day.seed()).fork(77)),
        kelvin_per_w_(day.options().rise_kelvin / board.modes[board.top].cost.power_w),
        celsius_(day.at(0).celsius) {}

  double now_s() const { return now_s_; }
  double minibatches() const { return minibatches_; }
  double energy_j() const { return energy_j_; }
  double requests() const { return requests_; }
  double late() const { return late_; }

  // Runs until `duration_s` have passed or the total number of minibatches reaches `most`.
  Window work(std::size_t mode, double duration_s, double most, const Goal& goal) {
    const DayBoard::Mode& at = board_.modes[mode];
    Window window{.mode = mode};
    const double begin_j = energy_j_;
    while (window.duration_s < duration_s - 1e-9 && minibatches_ < most - 1e-9) {
      const Day::Tick& tick = day_.at(now_s_);
      const double slow = 1 + at.contention * tick.slowdown;
      const double time_s = at.cost.time_s * slow;
      double step_s = std::min(to_next_tick(), duration_s - window.duration_s);
      double use = 1 - tick.paused;  // share of the step in which minibatches run
      double done = use * step_s / time_s;
      if (goal.kind() == GoalKind::kLatency) {
        const double served = std::min(done, tick.rate_hz * step_s / goal.batch);
        const double latency = latency_s(tick.rate_hz, goal.batch, time_s);
        use = done > 0 ? use * served / done : 0;
        done = served;
        requests_ += tick.rate_hz * step_s;
        if (latency > goal.latency_s || tick.paused > 0) late_ += tick.rate_hz * step_s;
      } else if (minibatches_ + done > most) {
        step_s *= (most - minibatches_) / done;
        done = most - minibatches_;
      }
      spend(use * at.cost.power_w * (1 + tick.extra) + (1 - use) * at.idle_w, step_s);
      window.paused_s += tick.paused * step_s;
      window.duration_s += step_s;
      window.minibatches += done;
      minibatches_ += done;
      busy_s_ += use * step_s;
    }
    window.energy_j = energy_j_ - begin_j;
    return window;
  }

  void rest(double duration_s) {
    for (double left_s = duration_s; left_s > 1e-9;) {
      const double step_s = std::min(to_next_tick(), left_s);
      spend(board_.modes[board_.rest].idle_w, step_s);
      left_s -= step_s;
    }
  }

  double noisy(double power_w) {
    return power_w * std::exp(day_.options().power_noise * random_.normal());
  }

  // Adds measurement noise to a window.
  Window measured(Window window) {
    window.time_sd = day_.options().noise;
    window.power_sd = day_.options().power_noise;
    const double time_factor = std::exp(window.time_sd * random_.normal());
    window.energy_j *= std::exp(window.power_sd * random_.normal());
    // The count of minibatches is exact; the measured time is not.
    window.duration_s *= time_factor;
    window.paused_s *= time_factor;
    return window;
  }

 private:
  double to_next_tick() const {
    const double tick_s = day_.options().tick_s;
    const double to_next_s = tick_s * (std::floor(now_s_ / tick_s + 1e-9) + 1) - now_s_;
    return std::max(to_next_s, 1e-6);
  }
  void spend(double power_w, double duration_s) {
    const double warm_w = power_w * (1 + day_.leak_per_kelvin() * (celsius_ - kMidCelsius));
    const double steady = day_.at(now_s_).celsius + kelvin_per_w_ * warm_w;
    celsius_ += (steady - celsius_) * -std::expm1(-duration_s / day_.options().heat_s);
    energy_j_ += warm_w * duration_s;
    now_s_ += duration_s;
  }

  const DayBoard& board_;
  const Day& day_;
  Random random_;
  double kelvin_per_w_, celsius_;
  double now_s_ = 0, minibatches_ = 0, energy_j_ = 0, busy_s_ = 0;
  double requests_ = 0, late_ = 0;
};

// Rests until the end of the goal. Returns the totals.
DayOutcome finished(Play& play, const Goal& goal, double end_s, double length_s) {
  DayOutcome outcome;
  outcome.end_s = play.now_s();
  outcome.done = !(goal.minibatches > 0) || play.minibatches() >= goal.minibatches - 1e-6;
  const double until_s = goal.end_s < Goal::kNone ? goal.end_s : length_s;
  if (play.now_s() < until_s) play.rest(until_s - play.now_s());
  outcome.minibatches = play.minibatches();
  outcome.energy_j = play.energy_j();
  outcome.late_share = play.requests() > 0 ? play.late() / play.requests() : 0;
  if (!(goal.minibatches > 0)) outcome.end_s = end_s;
  return outcome;
}

double last_s(const Goal& goal, const Day& day) {
  if (goal.minibatches > 0) return 2 * goal.end_s;  // a late job continues
  return std::min(goal.end_s, day.options().length_s);
}

// Estimates the value of a fixed mode on a uniform day, to skip modes that cannot be best.
double rough_value(const Goal& goal, const DayBoard& board, const DayBoard::Mode& mode,
                   const Day& day, bool& may_keep) {
  const double rate_hz = day.open_share() / mode.cost.time_s;
  const double rest_w = board.modes[board.rest].idle_w, power_w = mode.cost.power_w;
  switch (goal.kind()) {
    case GoalKind::kDeadline: {
      const double time_s = goal.minibatches / rate_hz;
      may_keep = time_s <= 1.03 * goal.end_s;
      return power_w * time_s + rest_w * std::max(goal.end_s - time_s, 0.0);
    }
    case GoalKind::kEnergy: {
      const double share = (goal.energy_j / goal.end_s - rest_w) / std::max(power_w - rest_w, 1e-9);
      may_keep = share > 0;
      return -rate_hz * std::min(share, 1.0);
    }
    case GoalKind::kPower:
      may_keep = power_w <= 1.03 * goal.power_w;
      return mode.cost.time_s;
    case GoalKind::kLatency: {
      may_keep = mode.cost.time_s <= goal.latency_s;
      const double use = std::min(1.0, 0.6 * day.options().rate_hz * mode.cost.time_s / goal.batch);
      return use * power_w + (1 - use) * mode.idle_w;
    }
  }
  return 0;
}

}  // namespace

bool over_cap(const Goal& goal, const Window& window) {
  return window.duration_s > 0 && window.energy_j > kOverTheCap * goal.power_w * window.duration_s;
}

void DayOptions::check() const {
  const auto positive = [](double value, const char* field) {
    require_option(value > 0 && std::isfinite(value), field, value, "positive");
  };
  const auto not_negative = [](double value, const char* field) {
    require_option(value >= 0 && std::isfinite(value), field, value, "0 or more");
  };
  positive(length_s, "DayOptions::length_s");
  positive(tick_s, "DayOptions::tick_s");
  require_option(length_s / tick_s <= 1e7, "DayOptions::length_s", length_s, "at most 10^7 ticks");
  not_negative(spells_per_h, "DayOptions::spells_per_h");
  positive(spell_s, "DayOptions::spell_s");
  not_negative(pauses_per_h, "DayOptions::pauses_per_h");
  positive(pause_s, "DayOptions::pause_s");
  positive(heat_s, "DayOptions::heat_s");
  not_negative(noise, "DayOptions::noise");
  not_negative(rate_hz, "DayOptions::rate_hz");
}

Day::Day(const DayOptions& options, std::uint64_t seed) : options_(options), seed_(seed) {
  options_.check();
  Random random = Random(seed).fork(11);
  // A late job is simulated for up to twice its time.
  const auto count = static_cast<std::size_t>(std::ceil(2 * options_.length_s / options_.tick_s));
  ticks_.resize(std::max<std::size_t>(count, 1));
  const double mean = options_.mean_celsius + options_.mean_spread * random.normal();
  const double swing = random.uniform(0, options_.most_swing);
  const double warmest_s = random.uniform(0, kDayS);
  leak_ = random.uniform(0, options_.most_leak_per_kelvin);
  const double busiest_s = random.uniform(0, kDayS);
  for (std::size_t i = 0; i < ticks_.size(); ++i) {
    const double time_s = static_cast<double>(i) * options_.tick_s;
    const auto wave = [&](double crest_s) {
      return std::cos(2 * std::numbers::pi * (time_s - crest_s) / kDayS);
    };
    ticks_[i].celsius = mean + swing * wave(warmest_s);
    ticks_[i].rate_hz = options_.rate_hz * (0.6 + 0.25 * wave(busiest_s));
  }
  const double whole_s = static_cast<double>(ticks_.size()) * options_.tick_s;
  const auto over = [&](double begin_s, double end_s, const auto& change) {
    for (auto i = static_cast<std::size_t>(begin_s / options_.tick_s);
         i < ticks_.size() && static_cast<double>(i) * options_.tick_s < end_s; ++i) {
      const double tick_s = static_cast<double>(i) * options_.tick_s;
      const double share =
          (std::min(end_s, tick_s + options_.tick_s) - std::max(begin_s, tick_s)) / options_.tick_s;
      change(ticks_[i], std::clamp(share, 0.0, 1.0));
    }
  };
  const auto each = [&](double per_h, double length_s, Random from, const auto& begin) {
    if (!(per_h > 0)) return;
    for (double at_s = 3600 / per_h * from.exponential(); at_s < whole_s;
         at_s += 3600 / per_h * from.exponential()) {
      const double lasts_s = length_s * from.exponential();
      begin(at_s, at_s + lasts_s, from);
    }
  };
  each(options_.spells_per_h, options_.spell_s, random.fork(1),
       [&](double begin_s, double end_s, Random& from) {
         const double slow = from.uniform(options_.least_slowdown, options_.most_slowdown);
         const double power = from.uniform(options_.least_power, options_.most_power);
         over(begin_s, end_s, [&](Tick& tick, double share) {
           tick.slowdown += share * slow;
           tick.extra += share * power;
         });
       });
  each(options_.pauses_per_h, options_.pause_s, random.fork(2),
       [&](double begin_s, double end_s, Random&) {
         over(begin_s, end_s,
              [](Tick& tick, double share) { tick.paused = std::min(1.0, tick.paused + share); });
       });
  if (options_.rate_hz > 0) {  // bursts of up to 0.3 of the peak rate, limited to the peak
    each(1, 600, random.fork(3), [&](double begin_s, double end_s, Random& from) {
      const double more = from.uniform(0.05, 0.3) * options_.rate_hz;
      over(begin_s, end_s, [&](Tick& tick, double share) {
        tick.rate_hz = std::min(options_.rate_hz, tick.rate_hz + share * more);
      });
    });
  }
  double open = 0;
  for (const auto& tick : ticks_) open += (1 - tick.paused) / (1 + tick.slowdown);
  open_share_ = open / static_cast<double>(ticks_.size());
}

const Day::Tick& Day::at(double time_s) const {
  const double tick =
      std::clamp(time_s / options_.tick_s + 1e-9, 0.0, static_cast<double>(ticks_.size() - 1));
  return ticks_[static_cast<std::size_t>(tick)];
}

DayBoard day_board(const std::vector<OperatingPoint>& points,
                   const std::function<twin::TimePower(const PowerMode&)>& truth,
                   const std::function<double(const PowerMode&)>& idle_w) {
  if (points.empty()) throw UsageError("the simulated day needs at least one power mode");
  DayBoard board;
  int cores = 1;
  for (const auto& point : points) cores = std::max(cores, point.mode.cpu_cores);
  for (const auto& point : points) {
    const double online = point.mode.cpu_cores > 0 ? point.mode.cpu_cores : cores;
    board.modes.push_back(
        {truth(point.mode), idle_w(point.mode), std::min(2.0, std::sqrt(cores / online))});
    const auto& added = board.modes.back();
    const std::size_t last = board.modes.size() - 1;
    if (added.cost.time_s < board.modes[board.top].cost.time_s) board.top = last;
    if (added.idle_w < board.modes[board.rest].idle_w) board.rest = last;
  }
  return board;
}

DayOutcome govern_day(Policy& policy, const DayBoard& board, const Day& day, bool keep_steps) {
  const Goal& goal = policy.goal();
  Play play(board, day);
  std::optional<std::size_t> last;
  std::size_t switches = 0, windows = 0, over = 0;
  std::vector<DayStep> steps;
  const double most = goal.minibatches > 0 ? goal.minibatches : Goal::kNone;
  const double end_s = last_s(goal, day);
  // Measure the power at rest before the program starts.
  const auto rest = [&](double duration_s) {
    const double before_j = play.energy_j();
    play.rest(duration_s);
    policy.see_rest(play.noisy((play.energy_j() - before_j) / duration_s));
  };
  rest(std::min(kRestS, end_s / 100));
  while (play.now_s() < end_s - 1e-6 && play.minibatches() < most - 1e-6) {
    const double begin_s = play.now_s();
    const Decision next =
        policy.decide({begin_s, play.minibatches(), play.energy_j(), day.at(begin_s).rate_hz});
    const double for_s = std::min(std::max(next.for_s, 0.1), end_s - begin_s);
    Window seen;
    if (next.mode) {
      if (last && *last != *next.mode) ++switches;
      last = next.mode;
      const Window window = play.work(*next.mode, for_s, most, goal);
      seen = play.measured(window);
      // The board is idle between requests. Report only the time of the minibatches and the energy
      // without the idle energy.
      if (goal.kind() == GoalKind::kLatency) {
        const Day::Tick& tick = day.at(begin_s);
        const DayBoard::Mode& mode = board.modes[*next.mode];
        seen.duration_s = std::max(
            window.minibatches * mode.cost.time_s * (1 + mode.contention * tick.slowdown), 1e-9);
        seen.energy_j =
            std::max(window.energy_j - mode.idle_w * (window.duration_s - seen.duration_s), 0.0);
        seen.paused_s = 0;
      }
      policy.see(seen);
      ++windows;
      over += over_cap(goal, window);
    } else {
      rest(for_s);
    }
    if (keep_steps) steps.push_back({begin_s, next, seen, play.minibatches(), play.energy_j()});
  }
  DayOutcome outcome = finished(play, goal, end_s, day.options().length_s);
  outcome.switches = switches;
  outcome.trials = policy.trials();
  outcome.over_share = windows > 0 ? static_cast<double>(over) / static_cast<double>(windows) : 0;
  outcome.steps = std::move(steps);
  return outcome;
}

DayOutcome fixed_day(const Goal& goal, const DayBoard& board, std::size_t mode, const Day& day) {
  constexpr double kStepS = 60;
  Play play(board, day);
  const double most = goal.minibatches > 0 ? goal.minibatches : Goal::kNone;
  const double end_s = last_s(goal, day);
  const double rest_w = board.modes[board.rest].idle_w;
  std::size_t windows = 0, over = 0;
  while (play.now_s() < end_s - 1e-6 && play.minibatches() < most - 1e-6) {
    const double left_s = end_s - play.now_s();
    if (goal.energy_j < Goal::kNone && play.energy_j() + rest_w * left_s >= goal.energy_j) break;
    const Window window = play.work(mode, std::min(kStepS, left_s), most, goal);
    ++windows;
    over += over_cap(goal, window);
  }
  DayOutcome outcome = finished(play, goal, end_s, day.options().length_s);
  outcome.over_share = windows > 0 ? static_cast<double>(over) / static_cast<double>(windows) : 0;
  return outcome;
}

std::optional<FixedDay> best_fixed_day(const Goal& goal, const DayBoard& board, const Day& day) {
  std::vector<std::pair<double, std::size_t>> rough;
  for (std::size_t i = 0; i < board.modes.size(); ++i) {
    bool may_keep = true;
    const double value = rough_value(goal, board, board.modes[i], day, may_keep);
    if (may_keep) rough.emplace_back(value, i);
  }
  std::sort(rough.begin(), rough.end());
  const bool most_work = goal.kind() == GoalKind::kEnergy || goal.kind() == GoalKind::kPower;
  std::optional<FixedDay> best;
  std::size_t tried = 0;
  for (const auto& [value, mode] : rough) {
    // Keep trying until one mode meets the goal.
    if (tried >= kTried && best) break;
    ++tried;
    const DayOutcome outcome = fixed_day(goal, board, mode, day);
    const bool keeps = (!(goal.minibatches > 0) || outcome.end_s <= goal.end_s) &&
                       outcome.over_share <= kMostOver && outcome.late_share <= kMostLate;
    if (!keeps) continue;
    const bool better = !best || (most_work ? outcome.minibatches > best->minibatches
                                            : outcome.energy_j < best->energy_j);
    if (!better) continue;
    best = FixedDay{outcome, mode};
  }
  return best;
}

}  // namespace ridgewatt::govern
