#include "ridgewatt/answer/serve.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "ridgewatt/answer/estimate.h"
#include "ridgewatt/answer/serving/plan_confidence.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/plural.h"
#include "ridgewatt/base/sentence.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/twin/twin.h"
#include "ridgewatt/twin/twin_model.h"

namespace ridgewatt::answer {
namespace {

// The highest request rate that any of the points serves: one batch is collected while the previous
// one runs.
double capacity_of(const schedule::PlanSpace& space, const std::vector<std::size_t>& points,
                   const schedule::PlanProblem& problem) {
  double capacity_hz = 0;
  for (const std::size_t point : points) {
    const schedule::Minibatch& seen = space.candidates()[point].infer();
    if (seen.power_w > problem.max_power_w) continue;
    if (2 * seen.time_s > problem.max_latency_s) continue;
    capacity_hz = std::max(capacity_hz, seen.batch / seen.time_s);
  }
  return capacity_hz;
}

schedule::Plan search_plan(const PlanQuestion& question,
                           std::vector<schedule::Candidate> candidates,
                           std::vector<schedule::Plan>& profiled) {
  schedule::PlanSpace space(std::move(candidates));
  for (const auto& sweep : question.inference_references) space.add_reference(sweep, true);
  for (const auto& sweep : question.training_references) space.add_reference(sweep, false);
  schedule::PlanSearchOptions options;
  options.strategy = question.strategy;
  options.profiles = question.profiles;
  options.seed = question.seed;
  const auto summary =
      schedule::PlanSearch(space, question.problem, schedule::replay(space), options).run();
  for (const std::size_t point : summary.profiled) {
    profiled.push_back(schedule::plan_with(space.candidates()[point], question.problem));
  }
  return summary.plan;
}

// The candidate that allows training with the inference within `problem` if one limit, or both, is
// relaxed as little as `of` of its cycle says. Null: none.
const schedule::Candidate* nearest_with_training(std::span<const schedule::Candidate> candidates,
                                                 const schedule::PlanProblem& problem,
                                                 double schedule::Cycle::*of) {
  const schedule::Candidate* nearest = nullptr;
  double least = 0;
  for (const auto& candidate : candidates) {
    const auto cycle = schedule::make_cycle(candidate, problem.arrival_rate_hz, problem.bound);
    if (!cycle.stable || cycle.training_minibatches == 0) continue;
    if (cycle.peak_power_w > problem.max_power_w || cycle.latency_s > problem.max_latency_s)
      continue;
    if (nearest == nullptr || cycle.*of < least) nearest = &candidate, least = cycle.*of;
  }
  return nearest;
}

// The limits of `asked` that must be relaxed to train, in whole ms and in steps of 0.01 W, and what
// they allow. Empty: none allows training.
std::string relaxed_text(std::span<const schedule::Candidate> candidates,
                         const schedule::PlanProblem& asked) {
  constexpr double kMs = 1e-3, kPowerStepW = 0.01;
  const schedule::PlanProblem free{.arrival_rate_hz = asked.arrival_rate_hz, .bound = asked.bound};
  schedule::PlanProblem any_latency = asked, any_power = asked;
  any_latency.max_latency_s = free.max_latency_s;
  any_power.max_power_w = free.max_power_w;
  const auto* found = nearest_with_training(candidates, any_latency, &schedule::Cycle::latency_s);
  if (!found) found = nearest_with_training(candidates, any_power, &schedule::Cycle::peak_power_w);
  if (!found) found = nearest_with_training(candidates, free, &schedule::Cycle::peak_power_w);
  if (!found) return "";
  const auto cycle = schedule::make_cycle(*found, asked.arrival_rate_hz, asked.bound);
  schedule::PlanProblem relaxed = asked;
  std::vector<std::string> limits;
  if (cycle.latency_s > asked.max_latency_s) {
    relaxed.max_latency_s = std::max(cycle.latency_s, std::ceil(cycle.latency_s / kMs) * kMs);
    limits.push_back(sentence("{:g} ms", relaxed.max_latency_s / kMs));
  }
  if (cycle.peak_power_w > asked.max_power_w) {
    relaxed.max_power_w =
        std::max(cycle.peak_power_w, std::ceil(cycle.peak_power_w / kPowerStepW) * kPowerStepW);
    limits.push_back(sentence("{:.7g} W", relaxed.max_power_w));
  }
  const schedule::Plan other =
      schedule::PlanTable({candidates.begin(), candidates.end()}).best(relaxed);
  return fmt::format("{} {} ", fmt::join(limits, " with "),
                     limits.size() == 1 ? "allows" : "allow") +
         sentence("{:.3g} minibatches per second", other.cycle.training_throughput_hz);
}

std::string no_training_within(const schedule::PlanProblem& problem) {
  std::string text = sentence("no training fits within {:g} ms", problem.max_latency_s * 1e3);
  if (std::isfinite(problem.max_power_w)) text += sentence(" and {:g} W", problem.max_power_w);
  return text;
}

// `profiled`: the candidates are only the points that a strategy profiled.
std::string no_training_text(std::span<const schedule::Candidate> candidates,
                             const schedule::PlanProblem& problem, bool profiled) {
  std::string text = no_training_within(problem);
  if (profiled)
    text += fmt::format(" at the {} that were profiled", counted(candidates.size(), "point"));
  const std::string relaxed = relaxed_text(candidates, problem);
  if (!relaxed.empty()) return text + "; " + relaxed;
  text += "; no other limit on latency or power allows training at this arrival rate";
  return profiled ? text + " at these points, so profile more points" : text;
}

// If no training minibatch fits: sets the plan of the inference alone as the nearest miss and, if
// it meets the limits, states which limits would allow training.
void say_where_no_training_fits(std::vector<schedule::Candidate> candidates, bool profiled,
                                const schedule::PlanProblem& problem, schedule::Plan& plan) {
  const schedule::Candidate& found = plan.candidate;
  const bool trains = plan.feasible && plan.cycle.training_minibatches > 0;
  if (!found.inference || !found.background || trains || found.train().required_hz > 0) return;
  const std::string text = no_training_text(candidates, problem, profiled);
  for (auto& candidate : candidates) candidate.background.reset();
  schedule::Plan alone = schedule::PlanTable(std::move(candidates)).best(problem);
  plan = std::move(alone);
  if (!plan.feasible) return;  // the training is not the cause
  plan.feasible = false;
  plan.miss = text;
}

}  // namespace

namespace {

// An idle board draws no more than a busy one, so some points have less than the given power.
std::string given_idle_text(std::span<const schedule::Candidate> candidates, double given_w) {
  std::size_t lowered = 0;
  double most_w = 0;
  for (const auto& candidate : candidates) {
    lowered += candidate.idle_power_w < given_w ? 1 : 0;
    most_w = std::max(most_w, candidate.idle_power_w);
  }
  if (lowered == candidates.size()) {
    throw UsageError(
        sentence(
            "the idle power of {:g} W exceeds the highest power of the points, which is {:.2f} W",
            given_w, most_w),
        "--idle-power", "give a lower power");
  }
  if (lowered == 0) return "given";
  return fmt::format(
      "given; lower at {} of {} points, which draw less power than this while running", lowered,
      candidates.size());
}

constexpr double kByEstimates = 0.5;

// The best plan that meets the limits with the required probability.
schedule::Plan sure_plan(const PlanQuestion& question,
                         const std::vector<schedule::Candidate>& candidates,
                         PlanConfidence& confidence) {
  auto sure = confidence.sure(candidates, question.confidence);
  if (sure.empty()) return confidence.nearest(candidates, question.confidence);
  schedule::Plan plan = schedule::PlanTable(std::move(sure)).best(question.problem);
  if (plan.candidate.inference && plan.candidate.background &&
      plan.cycle.training_minibatches == 0) {
    plan.feasible = false;
    plan.miss = no_training_within(question.problem) +
                sentence(" with a probability of {:g}", question.confidence);
  }
  return plan;
}

}  // namespace

schedule::Plan best_plan(std::vector<schedule::Candidate> candidates,
                         const schedule::PlanProblem& problem) {
  schedule::Plan plan = schedule::PlanTable(candidates).best(problem);
  say_where_no_training_fits(std::move(candidates), false, problem, plan);
  return plan;
}

PlanAnswer plan_schedule(const PlanQuestion& question) {
  PlanAnswer found;
  found.problem = question.problem;
  found.strategy = question.strategy;
  found.seed = question.seed;
  found.origin = schedule::plan_origin(question.workloads);
  auto [candidates, idle_source] = planned_points(question.workloads, question.idle_power_w);
  found.idle_source = std::move(idle_source);
  PlanConfidence confidence(question.workloads, question.problem);
  const bool cautious = question.confidence > kByEstimates;
  // The exact strategy reads every point and needs no profiles.
  found.plan = !schedule::find_plan_strategy(question.strategy).every_point
                   ? search_plan(question, candidates, found.profiled)
               : cautious ? sure_plan(question, candidates, confidence)
                          : schedule::PlanTable(candidates).best(question.problem);
  found.serving = schedule::make_serving_plan(found.plan, candidates);
  if (!found.profiled.empty()) {
    candidates.clear();  // unprofiled points are unknown
    for (const auto& plan : found.profiled) candidates.push_back(plan.candidate);
  }
  if (!cautious) {
    say_where_no_training_fits(std::move(candidates), !found.profiled.empty(), question.problem,
                               found.plan);
  }
  found.grounds = grounds_of(question.workloads);
  if (found.plan.feasible) found.confidence = confidence.of(found.plan.candidate);
  found.native = schedule::forecast_sharing(found.plan.candidate);
  return found;
}

std::function<schedule::DeviceUse(const OperatingPoint&)> device_use(
    std::shared_ptr<const twin::TwinModel> model) {
  return [model = std::move(model)](const OperatingPoint& point) {
    const twin::Breakdown at = model->estimator(point.batch).breakdown(point.mode);
    return schedule::DeviceUse{std::clamp(at.gpu_load, 0.0, 1.0),
                               (at.launch_cpu_s + at.load_cpu_s) / at.total.period_s};
  };
}

SharingAnswer predict_sharing(const schedule::ScheduleWorkloads& workloads,
                              std::optional<double> idle_power_w, double switching) {
  SharingAnswer found;
  std::vector<const Sweep*> programs;
  if (workloads.inference) programs.push_back(&*workloads.inference);
  for (const auto& background : workloads.background) programs.push_back(&background.sweep);
  if (programs.size() != 2) {
    throw UsageError("sharing can only be predicted for exactly two programs", "",
                     "give an inference and a training, or two of one kind");
  }
  for (std::size_t i = 0; i < 2; ++i) {
    found.programs[i] = programs[i]->workload + " " + programs[i]->kind;
  }
  auto [candidates, idle_source] = planned_points(workloads, idle_power_w);
  found.idle_source = std::move(idle_source);
  found.origin = schedule::plan_origin(workloads);
  found.grounds = grounds_of(workloads);
  // The result is modelled, whatever the provenance of the input.
  found.origin.provenance = weaker_provenance(found.origin.provenance, Provenance::kModelled);
  for (auto& candidate : candidates) {
    const auto forecast = schedule::forecast_sharing(candidate, switching);
    if (forecast) found.rows.push_back({std::move(candidate), *forecast});
  }
  return found;
}

PlannedPoints planned_points(const schedule::ScheduleWorkloads& workloads,
                             std::optional<double> idle_power_w) {
  PlannedPoints points{schedule::join_sweeps(workloads), ""};
  const std::string board = schedule::plan_origin(workloads).board;
  if (idle_power_w) {
    schedule::set_idle_power(points.candidates, *idle_power_w);
    points.idle_source = given_idle_text(points.candidates, *idle_power_w);
    return points;
  }
  if (!board.empty()) {
    try {
      schedule::set_idle_power(points.candidates, twin::load_twin(load_board(board)));
      points.idle_source = "modelled by the twin of " + board;
      return points;
    } catch (const NotFoundError&) {  // the sweeps name an unknown board
    } catch (const NotSupportedError&) {
    }
  }
  const double least_w = schedule::set_idle_power(points.candidates, std::nullopt);
  points.idle_source = fmt::format(
      "the least power in the sweeps, {:.1f} W, since they name no known board", least_w);
  return points;
}

std::vector<schedule::Candidate> profile_for_arrivals(const schedule::PlanSpace& space,
                                                      schedule::PlanProblem problem,
                                                      const ArrivalsQuestion& question) {
  if (schedule::find_plan_strategy(question.strategy).every_point) return space.candidates();
  schedule::PlanSearchOptions search;
  search.strategy = question.strategy;
  search.seed = question.seed;
  const auto look_for = [&](schedule::PlanGoal goal, double rate_hz, int profiles) {
    search.goal = goal;
    search.profiles = profiles;
    problem.arrival_rate_hz = rate_hz * (1 + question.headroom);
    if (profiles < 1) return;
    const auto summary =
        schedule::PlanSearch(space, problem, schedule::replay(space), search).run();
    search.known.insert(search.known.end(), summary.profiled.begin(), summary.profiled.end());
  };
  const double low_hz = question.least_rate_hz, high_hz = question.most_rate_hz;
  const int for_capacity = question.profiles / 3;
  look_for(schedule::PlanGoal::kCapacity, high_hz, for_capacity);
  const double capacity_hz = capacity_of(space, search.known, problem);
  const double top_hz = capacity_hz > 0
                            ? std::clamp(capacity_hz / (1 + question.headroom), low_hz, high_hz)
                            : high_hz;
  look_for(schedule::PlanGoal::kFill, top_hz, question.profiles - for_capacity);
  look_for(schedule::PlanGoal::kFill, std::sqrt(low_hz * top_hz), question.profiles);
  look_for(schedule::PlanGoal::kFill, low_hz, question.profiles);
  std::vector<schedule::Candidate> result;
  for (const std::size_t point : search.known) result.push_back(space.candidates()[point]);
  return result;
}

void follow(const schedule::Plan& plan, schedule::ExecutorOptions& options) {
  const auto& inference = plan.candidate.inference;
  options.batch = inference ? inference->batch : 1;
  options.period_s = inference ? plan.cycle.period_s : 0;
  options.training_per_cycle =
      plan.cycle.training_minibatches *
      static_cast<int>(std::max<std::size_t>(1, plan.candidate.train().minibatches.size()));
  options.infer_time_s = plan.candidate.infer().time_s;
  options.train_time_s = plan.candidate.train().blocking_s;
}

}  // namespace ridgewatt::answer
