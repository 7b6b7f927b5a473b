#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "ridgewatt/answer/jobs.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/sentence.h"
#include "ridgewatt/io/file.h"

namespace ridgewatt::answer {
namespace {

// Least idle power of all modes.
double rest_w(const ModeCosts& costs) {
  double least_w = costs.costs.front().idle_w;
  for (const auto& cost : costs.costs) least_w = std::min(least_w, cost.idle_w);
  return least_w;
}

std::optional<govern::Sleep> sleep_of(const JobQuestion& question, const ModeCosts& costs) {
  if (!question.sleep_power_w) return std::nullopt;
  return govern::Sleep{*question.sleep_power_w, *question.sleep_s,
                       question.sleep_energy_j.value_or(rest_w(costs) * *question.sleep_s)};
}

// Replaces the idle power of the twin by the measured one, and states the source.
void set_idle_power(const JobQuestion& question, ModeCosts& costs) {
  if (!question.idle_power_w) {
    costs.idle_power =
        "modelled by the twin with the GPU on; an idle board that switches its GPU off may draw "
        "40 % less: measure it and give --idle-power";
    return;
  }
  for (auto& cost : costs.costs) cost.idle_w = std::min(*question.idle_power_w, cost.power_w);
  costs.idle_power = sentence("given: {:.4g} W", *question.idle_power_w);
}

// Removes the modes above the power limit.
void keep_within(double power_w, ModeCosts& costs) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < costs.costs.size(); ++i) {
    if (costs.costs[i].power_w > power_w) continue;
    costs.points[kept] = costs.points[i];
    costs.costs[kept++] = costs.costs[i];
  }
  costs.points.resize(kept);
  costs.costs.resize(kept);
}

template <class Named, class Way>
void add_way(std::vector<Named>& ways, const char* name, const std::optional<Way>& way) {
  if (way) ways.push_back({name, *way});
}

}  // namespace

void JobQuestion::check() const {
  if (sleep_power_w && !sleep_s) {
    throw UsageError("--sleep-power needs the time to suspend and wake", "", "give --sleep-time");
  }
  if (sleep_power_w && !asked()) {
    throw UsageError("--sleep-power has no effect without --deadline, --max-job-energy or --period",
                     "", "omit it");
  }
  if (idle_power_w && !asked()) {
    throw UsageError("--idle-power has no effect without a goal of a job, a period or a day", "",
                     "give --deadline, --max-job-energy, --period or --day-energy, or omit it");
  }
  if (of_job() + of_day() + period_s.has_value() > 1) {
    throw UsageError(
        "the goals of a job (--deadline, --max-job-energy), of a period (--period) and of a day "
        "(--day-energy, --solar) cannot be combined",
        "", "give one of them");
  }
  if (!of_day()) return;
  if (sleep_power_w)
    throw UsageError("--sleep-power has no effect with --day-energy or --solar", "", "omit it");
  if (day_energy_j && (battery_j || !solar.empty())) {
    throw UsageError(
        std::string(battery_j ? "--battery" : "--solar") + " has no effect with --day-energy", "",
        "omit it");
  }
  if (!solar.empty() && !battery_j) {
    throw UsageError("--solar needs a battery for the night", "", "give --battery CAPACITY");
  }
}

double JobAnswer::samples_of(const govern::JobWay& way) const {
  double sum = 0;
  for (const auto& part : way.parts) sum += part.minibatches * costs.points[part.mode].batch;
  return sum;
}

JobAnswer ask_job(const JobQuestion& question, ModeCosts costs) {
  set_idle_power(question, costs);
  govern::Job job;
  job.minibatches = std::ceil(question.samples / costs.points.front().batch - 1e-9);
  if (question.deadline_s) job.end_s = *question.deadline_s;
  if (question.job_energy_j) job.energy_j = *question.job_energy_j;
  job.power_w = question.max_power_w;
  const auto ways = govern::ways_of_job(costs.costs, job, sleep_of(question, costs));
  JobAnswer found{.question = question, .costs = std::move(costs)};
  found.least_energy_j = ways.least_energy_j;
  found.least_time_s = ways.least_time_s;
  if (!ways.mix) return found;
  add_way(found.ways, "best mix", ways.mix);
  add_way(found.ways, "best single mode", ways.fixed);
  if (!question.deadline_s) return found;
  add_way(found.ways, "race to rest", ways.race);
  add_way(found.ways, "slow and steady", ways.steady);
  return found;
}

JobAnswer ask_day(const JobQuestion& question, ModeCosts costs) {
  set_idle_power(question, costs);
  govern::Supply supply;
  supply.energy_j = question.day_energy_j.value_or(question.battery_j.value_or(0));
  if (!question.solar.empty()) {
    supply.solar_w = govern::parse_solar(read_file(question.solar), question.solar);
  }
  const double held_w = govern::held_power_w(supply);
  const auto none = [&](const std::string& advice) {
    return NoSolutionError("no power mode can run all day on the available power",
                           sentence("{:.3g} W", held_w), advice);
  };
  keep_within(question.max_power_w, costs);
  if (costs.costs.empty()) throw none("every mode draws more than --max-power");
  const auto mix = govern::most_work(costs.costs, held_w, supply.length_s);
  const auto one = govern::most_work_of_one(costs.costs, held_w, supply.length_s);
  if (!mix || !one) {
    throw none(sentence("the idle board draws {:.3g} W, {}", rest_w(costs), costs.idle_power));
  }
  JobAnswer found{.question = question, .costs = std::move(costs)};
  found.ways = {{"best mix", *mix}, {"best single mode", *one}};
  found.held_power_w = held_w;
  found.length_s = supply.length_s;
  return found;
}

PeriodAnswer ask_period(const JobQuestion& question, ModeCosts costs) {
  set_idle_power(question, costs);
  govern::Period period{.period_s = *question.period_s};
  period.power_w = question.max_power_w;
  const auto ways = govern::ways_of_period(costs.costs, period, sleep_of(question, costs));
  PeriodAnswer found{period.period_s, std::move(costs), {}, ways.least_time_s};
  if (!ways.best) return found;
  add_way(found.ways, "best", ways.best);
  add_way(found.ways, "idle in the mode", ways.idle);
  add_way(found.ways, "rest in between", ways.rest);
  add_way(found.ways, "asleep in between", ways.asleep);
  add_way(found.ways, "race to idle", ways.race);
  add_way(found.ways, "slow and steady", ways.steady);
  return found;
}

}  // namespace ridgewatt::answer
