// Verifies a twin's answer by a few profiles: the twin's part, and verification without a profiler.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ridgewatt/answer/estimate.h"
#include "ridgewatt/answer/tune/tune_parts.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/plural.h"
#include "ridgewatt/sweep/board_fit.h"
#include "ridgewatt/twin/twin_model.h"

namespace ridgewatt::answer {
namespace {

// The batches that the twin can estimate: their minibatch fits into memory.
std::vector<int> fitting_batches(const TuneQuestion& question, const Sweep& measured,
                                 const twin::TwinModel& model,
                                 const workload::DeployedWorkload& workload) {
  std::vector<int> batches = question.batches;
  if (batches.empty() && !measured.observations.empty()) batches = measured.batches();
  if (batches.empty() && fixed_batch(workload)) batches = {*fixed_batch(workload)};
  if (batches.empty()) {
    return tune::batches_to_try(question.goal, workload.options().kind,
                                [&](int batch) { return model.fits_memory(batch); });
  }
  std::erase_if(batches, [&](int batch) { return !model.fits_memory(batch); });
  if (batches.empty())
    throw NotSupportedError("no batch fits into the memory of board " + model.twin().board, "",
                            "give a smaller --batch");
  return batches;
}

tune::StrategyOptions hand_options(const TuneQuestion& question, const Sweep& measured,
                                   const tune::SearchSpace& space) {
  tune::StrategyOptions options = strategy_options(question);
  options.known = measured.observations;
  for (const auto& seen : options.known) {
    if (space.find(seen.point)) continue;
    throw InputError("a sample has a mode or batch that is not a candidate",
                     fmt::format("{}, batch {}", describe(seen.point.mode), seen.point.batch),
                     "give a sample with a mode of the board and a batch of --batch");
  }
  return options;
}

// Fills the answer and the compared modes from the samples.
void answer_from_samples(const TuneQuestion& question, const Sweep& measured,
                         const std::string& device, const tune::SearchSpace& space,
                         const tune::Verification& verification, TuneAnswer& found) {
  found.outcome.goal = verification.goal();
  found.outcome.confidence = question.confidence;
  found.trace.strategy = "verify";
  found.trace.seed = question.seed;
  found.source.device = device;
  found.source.workload = measured.workload + " " + measured.kind;
  found.trace.considered = space.size();
  found.outcome.job_samples = job_samples_of(question);
  found.source.provenance = derived_provenance(measured.provenance, Provenance::kProfiled);
  found.source.origin = measured.origin_of(Provenance::kProfiled);
  const auto best = verification.best_known();
  if (best) found.outcome.best = tune::compared(found.outcome.goal, "answer", *best);
  const auto miss = tune::nearest_miss(found.outcome.goal, measured.observations);
  if (!best && miss) {
    found.outcome.miss =
        tune::compared(found.outcome.goal, "nearest miss", measured.observations[*miss]);
  }
  compare_profiled(found, measured, named_modes(device, space));
  add_job(found);
  name_presets(found, load_board(device));
}

}  // namespace

tune::TwinView twin_view_of(const twin::Twin& twin,
                            const std::shared_ptr<const workload::DeployedWorkload>& workload,
                            Provenance rows, const twin::RunOptions& run) {
  const auto modelled = [=](const twin::Twin& asked, std::span<const OperatingPoint> points) {
    const twin::TwinModel model(asked, workload, run);
    std::vector<twin::TimePower> costs;
    costs.reserve(points.size());
    for (const auto& point : points) {
      const Observation shown = model.observe_as(rows, point);
      costs.push_back({shown.time_s, shown.power_w});
    }
    return costs;
  };
  return {twin, modelled};
}

tune::Verification verification_of(
    const TuneQuestion& question, const tune::SearchSpace& space, const std::string& device,
    const std::shared_ptr<const workload::DeployedWorkload>& workload, Provenance rows,
    tune::StrategyOptions options) {
  if (!workload || device.empty()) {
    throw UsageError("verification needs the model and the board", "",
                     "give MODEL and --device BOARD");
  }
  const twin::Twin twin = twin::load_twin(load_board(device));
  tune::TwinView view = twin_view_of(twin, workload, rows, question.run);
  const twin::EstimateError error =
      twin::TwinModel(twin, workload, question.run).error(space[space.top()]);
  view.common_sd = {error[twin::kTime].sd, error[twin::kPower].sd};
  options.budget.profiles = question.verify;
  return {question.goal, space, view, std::move(options)};
}

TuneAnswer verify_by_hand(const TuneQuestion& asked,
                          const std::shared_ptr<const workload::DeployedWorkload>& workload,
                          const std::string& device, const Sweep& measured) {
  TuneQuestion question = asked;
  const std::string idle_power = count_idle(question, device);
  const Board board = load_board(device);
  const twin::TwinModel model(twin::load_twin(board), workload, question.run);
  const auto batches = fitting_batches(question, measured, model, *workload);
  const bool none = measured.observations.empty();
  const tune::SearchSpace space(
      none ? knob_space(board) : knobs_of_samples(knob_space(board), measured), batches);
  const tune::Verification verification =
      verification_of(question, space, device, workload, measured.provenance,
                      hand_options(question, measured, space));
  TuneAnswer found;
  if (none) {
    TuneQuestion unverified = question;
    unverified.verify = 0;
    found = tune_on_twin(unverified, workload, device);
  } else {
    answer_from_samples(question, measured, device, space, verification, found);
    found.trace.batches = batches;
  }
  found.source.idle_power = idle_power;
  for (const auto& step : verification.next())
    found.trace.next.push_back({step.point, step.reason});
  if (!none) {
    found.source.remark =
        fmt::format("known: {} of {}{}", measured.observations.size(),
                    counted(static_cast<std::int64_t>(question.verify), "profile"),
                    found.outcome.best ? "; the answer is one of them" : "");
  }
  if (!found.outcome.best && !found.trace.next.empty()) {
    found.outcome.advice = "profile " + describe(found.trace.next.front().point.mode);
  }
  return found;
}

}  // namespace ridgewatt::answer
