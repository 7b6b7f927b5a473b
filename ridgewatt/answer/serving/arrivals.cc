#include "ridgewatt/answer/simulate.h"

#include <algorithm>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/suggest.h"

namespace ridgewatt::answer {
namespace {

ServedTrace serve_trace(const TraceQuestion& question, int trace, schedule::PlanBook& book,
                        const schedule::PlanSpace& space) {
  const bool bursty =
      find_word<schedule::ArrivalProcess>(question.arrivals) == schedule::ArrivalProcess::kBursty;
  Random random = Random(question.seed).fork(static_cast<std::uint64_t>(trace));
  auto simulation = question.simulation;
  const auto arrivals =
      bursty ? schedule::bursty_arrivals(question.bursty, simulation.duration_s, random)
             : schedule::read_arrivals(question.arrivals);
  if (!bursty) {
    simulation.duration_s = schedule::recorded_duration_s(arrivals, simulation.duration_s);
  }
  simulation.seed = question.seed + static_cast<std::uint64_t>(trace);
  ServedTrace served{
      std::to_string(trace),
      schedule::run_dynamic(book, space.candidates(), arrivals, simulation, question.dynamic)};
  served.summary.dynamic = {};  // discards the record of every request
  return served;
}

}  // namespace

void TraceQuestion::check() const {
  if (!schedule.has_inference()) {
    throw UsageError("no inference workload is given for the requests", "",
                     "give a model with --inference, or a sweep with --inference-sweep");
  }
  if (bursty.rates_hz.empty())
    throw UsageError("--burst-rates is empty", "", "give at least one rate");
  checked_problem(schedule);
}

ArrivalsAnswer serve_arrivals(TraceQuestion question,
                              const schedule::ScheduleWorkloads& workloads) {
  const schedule::PlanProblem problem = checked_problem(question.schedule);
  const auto [points, idle_source] = planned_points(workloads, question.schedule.idle_power_w);
  const schedule::PlanSpace space(points);
  const auto [low, high] =
      std::minmax_element(question.bursty.rates_hz.begin(), question.bursty.rates_hz.end());
  const auto candidates =
      profile_for_arrivals(space, problem,
                           {*low, *high, question.dynamic.headroom, question.strategy,
                            question.profiles, question.seed});
  question.simulation.seed = question.seed;
  schedule::PlanBook book(
      candidates, problem,
      schedule::dynamic_simulation(question.simulation, problem, question.dynamic));
  ArrivalsAnswer found;
  found.idle_source = idle_source;
  found.random_times = question.simulation.jitter > 0;
  found.origin = schedule::plan_origin(workloads);
  found.grounds = grounds_of(workloads);
  schedule::DynamicSummary all;
  for (int trace = 0; trace < question.traces; ++trace) {
    found.traces.push_back(serve_trace(question, trace, book, space));
    found.traces.back().profiled = candidates.size();
    all.add(found.traces.back().summary);
  }
  if (question.traces > 1) found.traces.push_back({"all", all, candidates.size()});
  return found;
}

}  // namespace ridgewatt::answer
