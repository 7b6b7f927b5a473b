#include "ridgewatt/govern/jobs.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ridgewatt/base/check_option.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/govern/mix.h"
#include "ridgewatt/io/csv.h"

namespace ridgewatt::govern {
namespace {

constexpr double kShort = 1e-9;  // relative time below which a part is dropped
constexpr std::size_t kPartsOfDay = 24 * 60;

void check_modes(std::span<const ModeCost> modes) {
  if (modes.empty()) throw UsageError("the job has no power mode to choose from");
  for (const auto& [time_s, power_w, idle_w] : modes) {
    if (!(time_s > 0 && power_w > 0 && idle_w >= 0) || !std::isfinite(time_s) ||
        !std::isfinite(power_w) || !std::isfinite(idle_w)) {
      throw UsageError("the time and power of each mode must be positive and finite");
    }
  }
}

// Indices of the modes with at most this power.
std::vector<std::size_t> under(std::span<const ModeCost> all, double cap_w) {
  std::vector<std::size_t> modes;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].power_w <= cap_w) modes.push_back(i);
  }
  return modes;
}

std::size_t rest_of(std::span<const ModeCost> modes) {
  const auto least = std::min_element(
      modes.begin(), modes.end(), [](const auto& a, const auto& b) { return a.idle_w < b.idle_w; });
  return static_cast<std::size_t>(least - modes.begin());
}

// Builds a way, one part at a time.
class WayOf {
 public:
  explicit WayOf(std::span<const ModeCost> modes) : modes_(modes) {}

  void work(std::size_t mode, double minibatches) {
    if (!(minibatches > 0)) return;
    const double time_s = minibatches * modes_[mode].time_s;
    way_.parts.push_back({mode, {}, time_s, minibatches, time_s * modes_[mode].power_w});
    way_.end_s += time_s;
    way_.energy_j += way_.parts.back().energy_j;
  }
  // Adds the wait after the work. The board sleeps if there is time and it costs less energy.
  void wait(double duration_s, const std::optional<Sleep>& sleep) {
    if (!(duration_s > kShort * std::max(way_.end_s, 1.0))) return;
    const std::size_t rest = rest_of(modes_);
    JobPart part{rest, Wait::kRest, duration_s, 0, duration_s * modes_[rest].idle_w};
    if (sleep && duration_s >= sleep->time_s) {
      const double asleep_j = sleep->energy_j + (duration_s - sleep->time_s) * sleep->power_w;
      if (asleep_j < part.energy_j) part.wait = Wait::kSleep, part.energy_j = asleep_j;
    }
    way_.parts.push_back(part);
    way_.energy_j += part.energy_j;
  }
  JobWay take() { return std::move(way_); }

 private:
  std::span<const ModeCost> modes_;
  JobWay way_;
};

double wait_after(const Job& job, double work_s) {
  return job.end_s < Job::kNone ? job.end_s - work_s : 0;
}

JobWay in_one_mode(std::span<const ModeCost> modes, std::size_t mode, const Job& job,
                   const std::optional<Sleep>& sleep) {
  WayOf way(modes);
  way.work(mode, job.minibatches);
  way.wait(wait_after(job, job.minibatches * modes[mode].time_s), sleep);
  return way.take();
}

// The mix with the least energy until the deadline. Waiting at the power `waiting_w` is one option
// of the mix.
std::optional<JobWay> mix_until(std::span<const ModeCost> modes,
                                const std::vector<std::size_t>& allowed, double waiting_w,
                                const Job& job, const std::optional<Sleep>& sleep) {
  std::vector<RatePower> options;
  for (const std::size_t mode : allowed) {
    options.push_back({1 / modes[mode].time_s, modes[mode].power_w});
  }
  options.push_back({0, waiting_w});
  const auto mix = RateHull(options).at_rate(job.minibatches / job.end_s);
  if (!mix) return std::nullopt;
  WayOf way(modes);
  double work_s = 0;
  // Work in the faster mode first, so that there is time left if something goes wrong.
  const auto work = [&](std::size_t option, double time_share) {
    if (option >= allowed.size()) return;
    const double time_s = modes[allowed[option]].time_s;
    double minibatches = time_share * job.end_s / time_s;
    if (mix->low == mix->high) minibatches = job.minibatches;
    way.work(allowed[option], minibatches);
    work_s += minibatches * time_s;
  };
  work(mix->high, mix->high_share);
  if (mix->low != mix->high) work(mix->low, 1 - mix->high_share);
  way.wait(job.end_s - work_s, sleep);
  return way.take();
}

// The mix with the least time within the energy limit, without a deadline. It uses the convex hull
// of time per minibatch against energy per minibatch.
std::optional<JobWay> mix_within(std::span<const ModeCost> modes,
                                 const std::vector<std::size_t>& allowed, const Job& job) {
  double slowest_s = 0;
  for (const std::size_t mode : allowed) slowest_s = std::max(slowest_s, modes[mode].time_s);
  std::vector<RatePower> options;
  for (const std::size_t mode : allowed) {
    options.push_back({slowest_s - modes[mode].time_s, modes[mode].time_s * modes[mode].power_w});
  }
  const auto mix = RateHull(options).at_power(job.energy_j / job.minibatches);
  if (!mix) return std::nullopt;
  WayOf way(modes);
  way.work(allowed[mix->high], mix->high_share * job.minibatches);
  if (mix->low != mix->high) way.work(allowed[mix->low], (1 - mix->high_share) * job.minibatches);
  return way.take();
}

bool keeps(const JobWay& way, const Job& job) {
  return way.end_s <= job.end_s * (1 + kShort) && way.energy_j <= job.energy_j * (1 + kShort);
}

void keep_better(std::optional<JobWay>& best, std::optional<JobWay> way, const Job& job) {
  if (!way || !keeps(*way, job)) return;
  const auto value = [&](const JobWay& of) {
    return job.end_s < Job::kNone ? of.energy_j : of.end_s;
  };
  if (!best || value(*way) < value(*best)) best = std::move(way);
}

}  // namespace

void Sleep::check() const {
  require_option(power_w >= 0 && std::isfinite(power_w), "Sleep::power_w", power_w, "0 or more");
  require_option(time_s >= 0 && std::isfinite(time_s), "Sleep::time_s", time_s, "0 or more");
  require_option(energy_j >= 0 && std::isfinite(energy_j), "Sleep::energy_j", energy_j,
                 "0 or more");
}

void Job::check() const {
  require_option(minibatches > 0 && std::isfinite(minibatches), "Job::minibatches", minibatches,
                 "positive");
  require_option(end_s > 0, "Job::end_s", end_s, "positive");
  require_option(energy_j > 0, "Job::energy_j", energy_j, "positive");
  require_option(power_w > 0, "Job::power_w", power_w, "positive");
  if (end_s == kNone && energy_j == kNone) {
    throw UsageError("a job needs a deadline or an energy limit");
  }
}

JobWays ways_of_job(std::span<const ModeCost> modes, const Job& job,
                    const std::optional<Sleep>& sleep) {
  check_modes(modes);
  job.check();
  if (sleep) sleep->check();
  JobWays ways;
  const std::vector<std::size_t> allowed = under(modes, job.power_w);
  if (allowed.empty()) return ways;
  const auto slower = [&](std::size_t a, std::size_t b) {
    return modes[a].time_s < modes[b].time_s;
  };
  const std::size_t fastest = *std::min_element(allowed.begin(), allowed.end(), slower);
  ways.least_time_s = job.minibatches * modes[fastest].time_s;
  std::optional<std::size_t> slowest;
  for (const std::size_t mode : allowed) {
    const double work_s = job.minibatches * modes[mode].time_s;
    if (work_s > job.end_s) continue;
    const JobWay way = in_one_mode(modes, mode, job, sleep);
    ways.least_energy_j = std::min(ways.least_energy_j, way.energy_j);
    keep_better(ways.fixed, way, job);
    if (!slowest || slower(*slowest, mode)) slowest = mode;
  }
  if (!slowest) return ways;
  ways.race = in_one_mode(modes, fastest, job, sleep);
  ways.steady = in_one_mode(modes, *slowest, job, sleep);
  const auto mixed = [&](std::optional<JobWay> way) {
    if (way) ways.least_energy_j = std::min(ways.least_energy_j, way->energy_j);
    keep_better(ways.mix, std::move(way), job);
  };
  if (job.end_s < Job::kNone) {
    mixed(mix_until(modes, allowed, modes[rest_of(modes)].idle_w, job, sleep));
    if (sleep) mixed(mix_until(modes, allowed, sleep->power_w, job, sleep));
  } else {
    mixed(mix_within(modes, allowed, job));
  }
  // The mix neglects the energy of going to sleep and waking up, so a single mode may be better.
  keep_better(ways.mix, ways.fixed, job);
  return ways;
}

void Period::check() const {
  require_option(period_s > 0 && std::isfinite(period_s), "Period::period_s", period_s, "positive");
  require_option(power_w > 0, "Period::power_w", power_w, "positive");
  require_option(change_s >= 0 && std::isfinite(change_s), "Period::change_s", change_s,
                 "0 or more");
}

PeriodWays ways_of_period(std::span<const ModeCost> modes, const Period& period,
                          const std::optional<Sleep>& sleep) {
  check_modes(modes);
  period.check();
  if (sleep) sleep->check();
  PeriodWays ways;
  const double rest_w = modes[rest_of(modes)].idle_w;
  const auto keep = [](std::optional<PeriodWay>& best, const PeriodWay& way) {
    if (!best || way.energy_j < best->energy_j) best = way;
  };
  for (const std::size_t i : under(modes, period.power_w)) {
    const ModeCost& mode = modes[i];
    ways.least_time_s = std::min(ways.least_time_s, mode.time_s);
    const double left_s = period.period_s - mode.time_s;
    if (left_s < 0) continue;
    const double work_j = mode.time_s * mode.power_w;
    std::optional<PeriodWay> cheapest;
    const auto consider = [&](Wait wait, double wait_j, std::optional<PeriodWay>& of_kind) {
      const PeriodWay way{i, wait, mode.time_s, work_j + wait_j};
      keep(of_kind, way);
      keep(ways.best, way);
      keep(cheapest, way);
    };
    consider(Wait::kIdle, left_s * mode.idle_w, ways.idle);
    const double changes_s = 2 * period.change_s;
    if (left_s >= changes_s && rest_w < mode.idle_w) {
      consider(Wait::kRest, changes_s * mode.idle_w + (left_s - changes_s) * rest_w, ways.rest);
    }
    if (sleep && left_s >= sleep->time_s) {
      consider(Wait::kSleep, sleep->energy_j + (left_s - sleep->time_s) * sleep->power_w,
               ways.asleep);
    }
    if (!ways.race || mode.time_s < ways.race->work_s) ways.race = cheapest;
    if (!ways.steady || mode.time_s > ways.steady->work_s) ways.steady = cheapest;
  }
  return ways;
}

void Supply::check() const {
  require_option(energy_j >= 0 && std::isfinite(energy_j), "Supply::energy_j", energy_j,
                 "0 or more");
  require_option(length_s > 0 && std::isfinite(length_s), "Supply::length_s", length_s, "positive");
  for (const double power_w : solar_w) {
    require_option(power_w >= 0 && std::isfinite(power_w), "Supply::solar_w", power_w, "0 or more");
  }
}

double held_power_w(const Supply& supply) {
  supply.check();
  if (supply.solar_w.empty()) return supply.energy_j / supply.length_s;
  const double part_s = supply.length_s / static_cast<double>(supply.solar_w.size());
  // Simulate two days from a full battery. It must never be empty, and must end the second day at
  // least as full as it began.
  const auto holds = [&](double power_w) {
    double stored_j = supply.energy_j, first_j = 0;
    for (int day = 0; day < 2; ++day) {
      first_j = stored_j;
      for (const double solar_w : supply.solar_w) {
        stored_j = std::min(stored_j + (solar_w - power_w) * part_s, supply.energy_j);
        if (stored_j < 0) return false;
      }
    }
    return stored_j >= first_j * (1 - kShort);
  };
  double low = 0, high = std::accumulate(supply.solar_w.begin(), supply.solar_w.end(), 0.0) /
                         static_cast<double>(supply.solar_w.size());
  if (holds(high)) return high;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (holds(middle) ? low : high) = middle;
  }
  return low;
}

std::vector<double> parse_solar(const std::string& text, const std::string& source) {
  const CsvTable table = parse_csv(text, source);
  const std::size_t hour = table.require_column("hour"), power = table.require_column("power_w");
  if (table.rows.empty())
    throw InputError("the file has no rows", source, "give at least one row below the header");
  std::vector<double> solar_w(kPartsOfDay, 0.0);
  double last_hour = -1;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const double begin_h = table.number(row, hour), power_w = table.number(row, power);
    if (!(begin_h > last_hour) || begin_h >= 24 || (row == 0 && begin_h != 0)) {
      throw InputError("column hour must be in ascending order, from 0 to less than 24",
                       table.where(row));
    }
    if (!(power_w >= 0 && power_w <= 1e6)) {
      throw InputError("column power_w (solar power) must be 0 to 10^6 W", table.where(row));
    }
    last_hour = begin_h;
    const auto first = static_cast<std::size_t>(std::lround(begin_h * kPartsOfDay / 24));
    for (std::size_t part = first; part < kPartsOfDay; ++part) solar_w[part] = power_w;
  }
  return solar_w;
}

std::optional<JobWay> most_work(std::span<const ModeCost> modes, double power_w, double length_s) {
  check_modes(modes);
  std::vector<RatePower> options;
  for (const auto& mode : modes) options.push_back({1 / mode.time_s, mode.power_w});
  options.push_back({0, modes[rest_of(modes)].idle_w});
  const auto mix = RateHull(options).at_power(power_w);
  if (!mix) return std::nullopt;
  WayOf way(modes);
  double work_s = 0;
  const auto work = [&](std::size_t option, double share) {
    if (option >= modes.size()) return;
    way.work(option, share * length_s / modes[option].time_s);
    work_s += share * length_s;
  };
  work(mix->high, mix->high_share);
  if (mix->low != mix->high) work(mix->low, 1 - mix->high_share);
  way.wait(length_s - work_s, {});
  return way.take();
}

std::optional<JobWay> most_work_of_one(std::span<const ModeCost> modes, double power_w,
                                       double length_s) {
  check_modes(modes);
  const double rest_w = modes[rest_of(modes)].idle_w;
  if (!(power_w >= rest_w)) return std::nullopt;
  std::optional<std::size_t> best;
  double most = 0, share_of_best = 0;
  for (std::size_t i = 0; i < modes.size(); ++i) {
    const double over_w = modes[i].power_w - rest_w;
    const double share = over_w > 0 ? std::min(1.0, (power_w - rest_w) / over_w) : 1;
    if (share / modes[i].time_s > most) {
      most = share / modes[i].time_s, share_of_best = share, best = i;
    }
  }
  if (!best) return std::nullopt;
  WayOf way(modes);
  way.work(*best, most * length_s);
  way.wait((1 - share_of_best) * length_s, {});
  return way.take();
}

}  // namespace ridgewatt::govern
