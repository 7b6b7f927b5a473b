// Answers the question on a board's twin: estimates every point, or lets a search profile the twin.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "ridgewatt/answer/board/known_power.h"
#include "ridgewatt/answer/estimate.h"
#include "ridgewatt/answer/predict/twin_costs.h"
#include "ridgewatt/answer/tune/tune_parts.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/parallel.h"
#include "ridgewatt/base/sort.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/tune/strategy.h"
#include "ridgewatt/twin/twin_model.h"
#include "ridgewatt/twin/twin_profiler.h"

namespace ridgewatt::answer {
namespace {

// The requested batches that fit into memory. If none fits, all requested batches.
std::vector<int> batches_of(const TuneQuestion& question, const twin::TwinModel& model,
                            const workload::DeployedWorkload& workload) {
  const WorkloadKind kind = workload.options().kind;
  if (question.batches.empty()) {
    if (const auto fixed = fixed_batch(workload)) return {*fixed};
    return tune::batches_to_try(question.goal, kind,
                                [&](int batch) { return model.fits_memory(batch); });
  }
  std::vector<int> fitting;
  for (const int batch : question.batches) {
    if (batch < 1) throw UsageError("--batch must be 1 or more", "");
    if (model.fits_memory(batch)) fitting.push_back(batch);
  }
  return fitting.empty() ? question.batches : fitting;
}

// The means that are compared with limits: the power is that without the module's own limit.
predict::Prediction mean_cost(const TwinCosts& twin, const OperatingPoint& point) {
  const twin::Breakdown at = twin.model().estimator(point.batch).breakdown(point.mode);
  predict::Prediction cost = predict::exactly({point, at.total.period_s, at.total.power_w});
  if (at.held > 1) cost.power_w = {at.free_w, at.free_w, at.free_w};
  return cost;
}

// The costs that are compared with limits. If only means are needed, intervals have no width, which
// halves the time.
std::vector<predict::Prediction> estimates(const TwinCosts& twin,
                                           std::span<const OperatingPoint> points,
                                           tune::Caution caution, double interval) {
  constexpr std::size_t kPart = 512;  // chosen: threads seldom contend
  std::vector<predict::Prediction> costs(points.size());
  const auto add = [&](std::size_t i) {
    costs[i] = caution == tune::Caution::kMeans ? mean_cost(twin, points[i])
                                                : twin.at(points[i]).at_these_clocks(interval);
  };
  parallel_for((points.size() + kPart - 1) / kPart, [&](std::size_t part) {
    const std::size_t end = std::min((part + 1) * kPart, points.size());
    for (std::size_t i = part * kPart; i < end; ++i) add(i);
  });
  return costs;
}

// The goal with the twin's reference time for a slowdown limit.
tune::Goal with_reference(tune::Goal goal, const twin::TwinModel& model,
                          const tune::SearchSpace& space) {
  if (!goal.needs_reference()) return goal;
  const OperatingPoint& top = space[space.top()];
  goal.reference_time_s = model(top).period_s / std::max(top.batch, 1);
  return goal;
}

tune::ComparedPoint estimated(const tune::Goal& goal, const std::string& name,
                              const TwinCosts& twin, const OperatingPoint& point) {
  return tune::compared(goal, name, point,
                        twin.at(point).at_these_clocks(predict::kDefaultInterval));
}

// Of the knobs that `slower` sets lower than `faster`, the one that slows `faster` most if it alone
// is lowered. A lower knob switches no SM on.
std::optional<Knob> slowing_knob(const twin::TwinModel& model, const OperatingPoint& faster,
                                 const PowerMode& slower) {
  const int sms = model.twin().sms_in(faster.mode);
  const auto& there = model.estimator(faster.batch).with_sms_on(sms);
  std::optional<Knob> found;
  double most_s = there(faster.mode).period_s;
  for (const Knob knob : kKnobs) {
    if (!slower.has(knob) || slower.get(knob) >= faster.mode.get(knob)) continue;
    PowerMode changed = faster.mode;
    changed.set(knob, slower.get(knob));
    const double time_s = there(changed).period_s;
    if (time_s > most_s) most_s = time_s, found = knob;
  }
  return found;
}

// For each preset that is slower than one with a smaller budget, reports the fastest such preset
// and the knob that causes it.
void explain_slower_presets(TuneAnswer& found, const twin::TwinModel& model) {
  static constexpr double kClearly = 1.02;  // chosen: a smaller difference is not reported
  const auto per_sample = [](const tune::ComparedPoint& one) {
    return one.cost.time_s.mean / std::max(one.point.batch, 1);
  };
  const auto& compared = found.outcome.compared;
  for (const auto& slower : compared) {
    const auto budget_w = power_in_name_w(slower.name);
    const tune::ComparedPoint* faster = nullptr;
    for (const auto& other : compared) {
      const auto other_w = power_in_name_w(other.name);
      if (!budget_w || !other_w || *other_w >= *budget_w) continue;
      if (per_sample(slower) < kClearly * per_sample(other)) continue;
      if (faster == nullptr || per_sample(other) < per_sample(*faster)) faster = &other;
    }
    if (faster == nullptr) continue;
    const PowerMode& mode = slower.point.mode;
    if (const auto knob = slowing_knob(model, faster->point, mode)) {
      found.outcome.slower_presets.push_back(
          {slower.name, faster->name, *knob, knob_in_field_unit(mode, *knob)});
    }
  }
}

// Times to compare with a slowdown limit; empty without such a limit. Near the answer, a time is
// the upper end of the ratio to the reference time. Elsewhere it is the upper end of the time
// itself.
std::vector<double> slowdown_times(const tune::Goal& goal, const twin::TwinModel& model,
                                   const tune::TwinView& view, const tune::SearchSpace& space,
                                   std::span<const predict::Prediction> costs, double interval) {
  constexpr std::size_t kMostCompared = 4000;
  if (!goal.needs_reference()) return {};
  std::vector<double> times;
  for (const auto& cost : costs) times.push_back(cost.time_s.hi);
  const auto points = tune::verifiable_points(goal, space, view, {}, kMostCompared);
  const tune::TwinDoubt doubt(points, view);
  const double degrees = model.error(points.front())[twin::kTime].degrees;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const twin::LogError error{doubt.ratio_sd(i, 0, twin::kTime), degrees};
    const std::size_t at = space.find(points[i]).value();
    times[at] = costs[at].time_s.mean * error.factor(interval);
  }
  return times;
}

// For a slowdown limit: adds the error of each time relative to the reference time.
void add_time_over_reference(TuneAnswer& found, const twin::TwinModel& model,
                             const tune::TwinView& view, const OperatingPoint& reference) {
  if (!found.outcome.goal.needs_reference()) return;
  std::vector<tune::ComparedPoint*> shown;
  if (found.outcome.best) shown.push_back(&*found.outcome.best);
  if (found.outcome.miss) shown.push_back(&*found.outcome.miss);
  for (auto& other : found.outcome.compared) shown.push_back(&other);
  std::vector<OperatingPoint> points = {reference};
  for (const auto* one : shown) points.push_back(one->point);
  const tune::TwinDoubt doubt(points, view);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const bool itself = shown[i]->point == reference;
    const double degrees = model.error(shown[i]->point)[twin::kTime].degrees;
    const double sd = itself ? 0 : doubt.ratio_sd(i + 1, 0, twin::kTime);
    tune::hold_against_reference(
        found.outcome.goal,
        tune::estimate_of(shown[i]->cost.time_s.mean, {sd, degrees}, predict::kDefaultInterval),
        *shown[i]);
  }
}

// Deviation of the ratio of two estimates by the errors of the points alone
// (docs/methods/estimate_error.md#between-points).
constexpr double kPointTie = 0.04;
constexpr double kRounding = 1e-9;  // chosen

// Among `best` and the feasible points whose objective is at most the share `tie` above that of
// point `least`, the one with the highest probability of meeting the limits per objective. For
// example, a power limit that slows a graphics card little by the estimate holds if the card draws
// more than estimated.
std::size_t most_certain(const tune::Goal& goal, const TwinCosts& twin,
                         const tune::SearchSpace& space, std::span<const predict::Prediction> costs,
                         std::size_t best, std::size_t least, tune::Caution caution, double tie) {
  const auto objective = [&](std::size_t i) {
    const auto& [time, power, energy] = costs[i];
    return tune::objective_value(goal, space[i], time.mean, power.mean, energy.mean);
  };
  const auto feasible = [&](std::size_t i) {
    return tune::choose(goal, std::span(&space[i], 1), costs.subspan(i, 1), caution).best;
  };
  const auto probability = [&](std::size_t i) {
    return tune::least_confidence(estimated(goal, "", twin, space[i]).confidence);
  };
  const auto met = probability(best);
  if (!met || *met >= 1) return best;
  const double lowest = objective(least);
  const auto above = [&](std::size_t i) { return std::max(1.0, objective(i) / lowest); };
  double most = *met / above(best);
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const double ratio = above(i);
    if (ratio > 1 + tie || most * ratio >= 1 || !feasible(i)) continue;
    const double found = probability(i).value_or(0) / ratio;
    if (found > most + kRounding) most = found, best = i;
  }
  return best;
}

constexpr double kEqualObjectives = 1e-6;  // chosen: tolerates rounding

// The best of all points by their estimates.
TuneAnswer choose_among_all(const TuneQuestion& question, const TwinCosts& twin,
                            const tune::TwinView& view, const tune::SearchSpace& space) {
  const twin::TwinModel& model = twin.model();
  TuneAnswer found;
  found.outcome.goal = with_reference(question.goal, model, space);
  found.outcome.confidence = question.confidence;
  found.trace.strategy = "exhaustive";
  found.outcome.job_samples = job_samples_of(question);
  const double interval = interval_of(question);
  const auto costs = estimates(twin, space.points(), caution_of(question), interval);
  std::vector<double> times;
  if (caution_of(question) == tune::Caution::kUpperEnds) {
    times = slowdown_times(found.outcome.goal, model, view, space, costs, interval);
  }
  const tune::Choice choice = tune::choose(found.outcome.goal, space.points(), costs,
                                           caution_of(question), twin::kTwinTie, times);
  if (choice.best) {
    const tune::Caution caution = caution_of(question);
    const tune::Choice least =
        tune::choose(found.outcome.goal, space.points(), costs, caution, 0, times);
    const bool wide = model.twin().discrete && caution == tune::Caution::kMeans;
    const std::size_t best =
        most_certain(found.outcome.goal, twin, space, costs, *choice.best,
                     wide ? *least.best : *choice.best, caution, wide ? kPointTie : kRounding);
    found.outcome.best = estimated(found.outcome.goal, "answer", twin, space[best]);
    found.outcome.surest = wide && best != *choice.best;
    found.outcome.tie = found.outcome.surest ? kPointTie : twin::kTwinTie;
    const auto point = estimated(found.outcome.goal, "least", twin, space[*least.best]);
    // Of points with equal objectives, none is the least.
    if (point.objective < (1 - kEqualObjectives) * found.outcome.best->objective) {
      found.outcome.least = point;
    }
  }
  if (choice.miss)
    found.outcome.miss = estimated(found.outcome.goal, "nearest miss", twin, space[*choice.miss]);
  add_relaxations(found, space.points(), costs, caution_of(question));
  return found;
}

// Searches on the twin instead of the board.
TuneAnswer search_on_twin(const TuneQuestion& question, const TwinCosts& twin,
                          const tune::SearchSpace& space,
                          const std::vector<tune::NamedMode>& names) {
  twin::TwinProfiler profiler(twin.model());
  tune::StrategyOptions strategy = strategy_options(question);
  for (const auto& name : names) strategy.presets.push_back(name.mode);
  TuneAnswer found =
      search_answer(question, space, tune::tune(space, question.goal, profiler, strategy));
  for (auto* point : {&found.outcome.best, &found.outcome.miss}) {
    if (*point) *point = estimated(found.outcome.goal, (*point)->name, twin, (*point)->point);
  }
  return found;
}

// Replaces the costs that were compared with limits by those that every command states.
void state_costs(TuneAnswer& found, const TwinCosts& twin) {
  const auto state = [&](tune::ComparedPoint& one) {
    one.cost = twin.at(one.point).within(predict::kDefaultInterval);
  };
  if (found.outcome.best) state(*found.outcome.best);
  if (found.outcome.miss) state(*found.outcome.miss);
  for (auto& other : found.outcome.compared) state(other);
}

// Adds what is reported about the answer in addition to its cost.
void add_facts(TuneAnswer& found, const TwinCosts& twin, const workload::WorkloadCost& priced) {
  const twin::TwinModel& model = twin.model();
  found.outcome.memory = model.memory(priced.batch);
  found.source.remark = model.provenance();
  found.source.twin_error = model.twin().fit;
  if (const auto& shown = found.outcome.best ? found.outcome.best : found.outcome.miss) {
    found.source.widened_by = twin.widened_by(shown->point);
  }
  if (!found.outcome.best) return;
  const auto& point = found.outcome.best->point;
  const twin::MinibatchCost cost = model(point);
  found.outcome.wait_share = cost.stall_s() / cost.period_s;
  if (found.outcome.job_samples) {
    found.outcome.job = twin::job_cost(cost, point.batch, *found.outcome.job_samples);
  }
}

// Adds the origin of the figures.
void add_origin(TuneAnswer& found, const std::string& workload, const Board& board,
                const twin::TwinModel& model, const workload::WorkloadCost& priced) {
  const std::string kind(name_of(priced.kind));
  found.source.workload =
      fmt::format("{}, {}, {}, on {}", workload, kind, name_of(priced.precision), board.title);
  found.source.precision = priced.precision;
  found.source.caveats = priced.caveats;
  found.source.origin = {
      workload, kind, board.name, Provenance::kModelled, model.twin().runtime, model.twin().status};
  found.source.provenance = Provenance::kModelled;
}

// Other boards, and other BSPs of this board, that can meet the limits that this board cannot.
std::vector<BoardWithAnswer> boards_with_answer(
    const TuneQuestion& question, const std::shared_ptr<const workload::DeployedWorkload>& workload,
    const Board& board) {
  std::vector<std::string> names;
  for (const auto& bsp : board.bsps) {
    const bool embedded = board.source.starts_with("embedded");
    if (embedded && bsp.name != board.bsp) names.push_back(board.name + "@" + bsp.name);
  }
  for (const auto& name : list_boards()) {
    if (name != board.name) names.push_back(name);
  }
  std::vector<BoardWithAnswer> having;
  for (const auto& name : names) {
    try {
      const TuneAnswer found = tune_on_twin(question, workload, name);
      if (!found.outcome.best) continue;
      having.push_back({name, found.source.origin.twin, found.outcome.best->cost.power_w.mean});
    } catch (const NotSupportedError&) {
      continue;  // no estimate for this board
    }
  }
  sort_stably(having, [](const auto& a, const auto& b) { return a.power_w < b.power_w; });
  return having;
}

}  // namespace

TuneAnswer tune_on_twin(const TuneQuestion& asked,
                        const std::shared_ptr<const workload::DeployedWorkload>& workload,
                        const std::string& device) {
  TuneQuestion question = asked;
  const std::string idle_power = count_idle(question, device);
  // Requests come from clients, not from a loader.
  if (question.goal.rate_hz > 0 && !question.run.loader_s_per_sample) {
    question.run.loader_s_per_sample = 0;
  }
  const Board board = load_board(device);
  const twin::Twin twin = twin::load_twin(board);
  // An unknown energy stays unknown even if its weight is 0.
  if (tune::needs_power(question.goal) || question.goal.objective == tune::Objective::kCost) {
    require_power(twin, board.name,
                  "tune for time, throughput or latency, without limits on power and energy");
  }
  const TwinCosts costs(twin, std::make_shared<const twin::TwinModel>(twin, workload, question.run),
                        workload);
  const twin::TwinModel& model = costs.model();
  const std::vector<int> batches = batches_of(question, model, *workload);
  const tune::SearchSpace space(mode_space(board), batches);
  const auto names = named_modes(device, space);
  const tune::TwinView view = twin_view_of(twin, workload, Provenance::kModelled, question.run);
  TuneAnswer found = question.strategy ? search_on_twin(question, costs, space, names)
                                       : choose_among_all(question, costs, view, space);
  const workload::WorkloadCost& priced =
      model.estimator(found.outcome.best ? found.outcome.best->point.batch : batches.front())
          .cost();
  add_origin(found, workload->name(), board, model, priced);
  found.source.device = device;
  found.source.idle_power = idle_power;
  found.trace.seed = question.seed;
  found.trace.batches = batches;
  found.trace.batches_asked = !question.batches.empty();
  found.outcome.fits_memory = model.fits_memory(batches.front());
  if (!found.outcome.fits_memory) {
    found.outcome.fitting_batch = smaller_batch_that_fits(model, *workload, batches.front());
    found.outcome.miss = found.outcome.best ? found.outcome.best : found.outcome.miss;
    if (found.outcome.miss) found.outcome.miss->name = "nearest miss";
    found.outcome.best.reset();
    found.outcome.relaxations.clear();
  }
  found.trace.considered = space.size();
  compare_modes(
      found, names, batches, [&](const OperatingPoint& point) { return model.observe(point); },
      [&](const OperatingPoint& point) {
        return costs.at(point).at_these_clocks(predict::kDefaultInterval);
      });
  explain_slower_presets(found, model);
  add_time_over_reference(found, model, view, space[space.top()]);
  state_costs(found, costs);
  add_facts(found, costs, priced);
  name_presets(found, board);
  const auto& best = found.outcome.best;
  if (best) {
    const twin::Breakdown at = costs.at(best->point).estimate;
    if (at.held > 1) found.outcome.envelope_w = board.power_limit_w;
    found.outcome.waits_in_power = 1 - at.counted_share;
  }
  return found;
}

void find_alternatives(const TuneQuestion& question,
                       const std::shared_ptr<const workload::DeployedWorkload>& workload,
                       TuneAnswer& found) {
  if (found.outcome.best) return;
  found.outcome.boards = boards_with_answer(question, workload, load_board(*found.source.device));
  found.outcome.advice.reset();
  if (question.batches.empty()) return;
  TuneQuestion any_batch = question;
  any_batch.batches.clear();
  const TuneAnswer other = tune_on_twin(any_batch, workload, *found.source.device);
  if (other.outcome.best)
    found.outcome.advice =
        fmt::format("--batch {} would be enough", other.outcome.best->point.batch);
}

}  // namespace ridgewatt::answer
