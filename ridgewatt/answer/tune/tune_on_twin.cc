// The question asked of a board's twin: every point is estimated, or a search profiles the twin.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ridgewatt/answer/estimate.h"
#include "ridgewatt/answer/tune/tune_parts.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/parallel.h"
#include "ridgewatt/twin/twin_model.h"
#include "ridgewatt/twin/twin_profiler.h"

namespace ridgewatt::answer {
namespace {

// What is asked of and fits the memory; all of what was asked where nothing fits.
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
    if (batch < 1) throw UsageError("a batch must be 1 or more", "--batch");
    if (model.fits_memory(batch)) fitting.push_back(batch);
  }
  return fitting.empty() ? question.batches : fitting;
}

predict::Prediction estimate(const twin::TwinModel& model, const OperatingPoint& point,
                             double interval) {
  const twin::MinibatchCost cost = model(point);
  const twin::EstimateError error = model.error(point);
  return {tune::estimate_of(cost.period_s, error[twin::kTime], interval),
          tune::estimate_of(cost.power_w, error[twin::kPower], interval),
          tune::estimate_of(cost.energy_j(), error[twin::kEnergy], interval)};
}

// The goal with the slowdown reference that the twin gives.
tune::Goal with_reference(tune::Goal goal, const twin::TwinModel& model,
                          const tune::SearchSpace& space) {
  if (!goal.needs_reference()) return goal;
  const OperatingPoint& top = space[space.top()];
  goal.reference_time_s = model(top).period_s / std::max(top.batch, 1);
  return goal;
}

tune::ComparedPoint estimated(const tune::Goal& goal, const std::string& name,
                              const twin::TwinModel& model, const OperatingPoint& point) {
  return tune::compared(goal, name, point, estimate(model, point, predict::kDefaultInterval));
}

// MAXN and presets, each at the batch that is best for the goal.
void compare_with_board(TuneAnswer& found, const std::vector<tune::NamedMode>& names,
                        const twin::TwinModel& model) {
  for (const auto& [name, mode] : names) {
    std::vector<Observation> rows;
    for (const int batch : found.batches) rows.push_back(model.observe({mode, batch}));
    auto chosen = tune::best_feasible(found.goal, rows);
    if (!chosen) chosen = tune::nearest_miss(found.goal, rows);
    if (chosen) found.others.push_back(estimated(found.goal, name, model, rows[*chosen].point));
  }
}

// Times to hold against a slowdown limit: upper ends of the ratio to the reference for the points
// that come nearest to the answer, of their own for all others. Nothing without such a limit.
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

// For a slowdown limit: the error of each time over the reference's.
void add_time_over_reference(TuneAnswer& found, const twin::TwinModel& model,
                             const tune::TwinView& view, const OperatingPoint& reference) {
  if (!found.goal.needs_reference()) return;
  std::vector<tune::ComparedPoint*> told;
  if (found.answer) told.push_back(&*found.answer);
  if (found.miss) told.push_back(&*found.miss);
  for (auto& other : found.others) told.push_back(&other);
  std::vector<OperatingPoint> points = {reference};
  for (const auto* one : told) points.push_back(one->point);
  const tune::TwinDoubt doubt(points, view);
  for (std::size_t i = 0; i < told.size(); ++i) {
    const bool itself = told[i]->point == reference;
    const double degrees = model.error(told[i]->point)[twin::kTime].degrees;
    const double sd = itself ? 0 : doubt.ratio_sd(i + 1, 0, twin::kTime);
    told[i]->time_over_reference =
        tune::estimate_of(told[i]->cost.time_s.mean, {sd, degrees}, predict::kDefaultInterval);
  }
}

// The best of all points, by their estimates.
TuneAnswer choose_among_all(const TuneQuestion& question, const twin::TwinModel& model,
                            const tune::TwinView& view, const tune::SearchSpace& space) {
  TuneAnswer found;
  found.goal = with_reference(question.goal, model, space);
  found.strategy = "exhaustive";
  found.job_samples = question.job_samples;
  const double interval = interval_of(question);
  std::vector<predict::Prediction> costs(space.size());
  parallel_for(space.size(),
               [&](std::size_t i) { costs[i] = estimate(model, space[i], interval); });
  std::vector<double> times;
  if (caution_of(question) == tune::Caution::kUpperEnds) {
    times = slowdown_times(found.goal, model, view, space, costs, interval);
  }
  const tune::Choice choice =
      tune::choose(found.goal, space.points(), costs, caution_of(question), twin::kTwinTie, times);
  if (choice.best) found.answer = estimated(found.goal, "answer", model, space[*choice.best]);
  if (choice.miss) found.miss = estimated(found.goal, "nearest miss", model, space[*choice.miss]);
  add_mends(found, space.points(), costs, caution_of(question));
  return found;
}

// A search on the twin in place of the board.
TuneAnswer search_on_twin(const TuneQuestion& question, const twin::TwinModel& model,
                          const tune::SearchSpace& space,
                          const std::vector<tune::NamedMode>& names) {
  twin::TwinProfiler profiler(model);
  tune::StrategyOptions strategy = strategy_options(question);
  for (const auto& name : names) strategy.presets.push_back(name.mode);
  TuneAnswer found =
      search_answer(question, space, tune::tune(space, question.goal, profiler, strategy));
  for (auto* point : {&found.answer, &found.miss}) {
    if (*point) *point = estimated(found.goal, (*point)->name, model, (*point)->point);
  }
  return found;
}

// What is said of the answer beside its cost.
void add_facts(TuneAnswer& found, const twin::TwinModel& model,
               const workload::WorkloadCost& priced) {
  found.memory_known = true;
  found.memory = model.memory(priced.batch);
  found.remark = model.provenance();
  found.twin_error = model.twin().fit;
  if (const auto& shown = found.answer ? found.answer : found.miss) {
    found.widened_by = model.widened_by(shown->point.batch);
  }
  if (!found.answer) return;
  const auto& point = found.answer->point;
  found.confidence = tune::limit_confidence(found.goal, point, found.answer->cost,
                                            found.answer->time_over_reference);
  if (found.job_samples > 0) {
    found.job = twin::job_cost(model(point), point.batch, found.job_samples);
  }
}

// Where the figures come from.
void add_origin(TuneAnswer& found, const std::string& workload, const Board& board,
                const twin::TwinModel& model, const workload::WorkloadCost& priced) {
  const std::string kind(name_of(priced.kind));
  found.workload =
      fmt::format("{}, {}, {}, on {}", workload, kind, name_of(priced.precision), board.title);
  found.precision = priced.precision;
  found.caveats = priced.caveats;
  found.origin = {workload,           kind, board.name, Provenance::kModelled, model.twin().runtime,
                  model.twin().status};
  found.provenance = Provenance::kModelled;
}

// Other boards, and other BSPs of this one, that keep the limits which this one cannot.
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
      if (!found.answer) continue;
      having.push_back({name, found.origin.twin, found.answer->cost.power_w.mean});
    } catch (const NotSupportedError&) {
      continue;  // nothing is known of it
    }
  }
  std::stable_sort(having.begin(), having.end(),
                   [](const auto& a, const auto& b) { return a.power_w < b.power_w; });
  return having;
}

}  // namespace

TuneAnswer tune_on_twin(const TuneQuestion& question,
                        const std::shared_ptr<const workload::DeployedWorkload>& workload,
                        const std::string& device) {
  const Board board = load_board(device);
  const twin::Twin twin = twin::load_twin(board);
  const twin::TwinModel model(twin, workload);
  const std::vector<int> batches = batches_of(question, model, *workload);
  const tune::SearchSpace space(knob_space(board), batches);
  const auto names = named_modes(device, space);
  const tune::TwinView view = twin_view_of(twin, workload, Provenance::kModelled);
  TuneAnswer found = question.strategy ? search_on_twin(question, model, space, names)
                                       : choose_among_all(question, model, view, space);
  const workload::WorkloadCost& priced =
      model.estimator(found.answer ? found.answer->point.batch : batches.front()).cost();
  add_origin(found, workload->name(), board, model, priced);
  found.device = device;
  found.seed = question.seed;
  found.batches = batches;
  found.batches_asked = !question.batches.empty();
  found.fits_memory = model.fits_memory(batches.front());
  if (!found.fits_memory) {
    found.miss = found.answer ? found.answer : found.miss;
    found.answer.reset();
    found.mends.clear();
  }
  found.considered = space.size();
  compare_with_board(found, names, model);
  add_time_over_reference(found, model, view, space[space.top()]);
  add_facts(found, model, priced);
  name_presets(found, board);
  return found;
}

void find_alternatives(const TuneQuestion& question,
                       const std::shared_ptr<const workload::DeployedWorkload>& workload,
                       TuneAnswer& found) {
  if (found.answer) return;
  found.boards = boards_with_answer(question, workload, load_board(found.device));
  found.advice.clear();
  if (question.batches.empty()) return;
  TuneQuestion any_batch = question;
  any_batch.batches.clear();
  const TuneAnswer other = tune_on_twin(any_batch, workload, found.device);
  if (other.answer) found.advice = fmt::format("--batch {} would do", other.answer->point.batch);
}

}  // namespace ridgewatt::answer
