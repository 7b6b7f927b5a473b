#include "ridgewatt/answer/epochs.h"

#include <fmt/format.h>

#include <algorithm>

#include "ridgewatt/answer/estimate.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/pipeline/simulate_pipeline.h"
#include "ridgewatt/pipeline/twin_pipeline.h"

namespace ridgewatt::answer {
namespace {

// The board's mode nearest to the requested one. Knobs without a value get their highest level.
PowerMode mode_on(const KnobSpace& space, PowerMode asked) {
  for (const Knob knob : kKnobs) {
    if (!asked.has(knob)) asked.set(knob, space.top().get(knob));
  }
  PowerMode mode = space.nearest(asked);
  mode.governor = asked.governor;
  return mode;
}

void require_memory(const twin::TwinModel& model, const workload::DeployedWorkload& workload,
                    int batch, const std::string& board) {
  const twin::MemoryFootprint memory = model.memory(batch);
  if (memory.fits()) return;
  const int smaller = smaller_batch_that_fits(model, workload, batch);
  throw NoSolutionError(
      fmt::format("a minibatch of {} needs {} of the {} that the system leaves", batch,
                  format_si(memory.needed_bytes(), "B"), format_si(memory.free_bytes(), "B")),
      board,
      smaller > 0 ? fmt::format("a batch of {} fits", smaller) : "choose a board with more memory");
}

}  // namespace

EpochAnswer epochs_on_twin(const EpochQuestion& question,
                           const std::shared_ptr<const workload::DeployedWorkload>& workload,
                           const std::string& device) {
  const Board board = load_board(device);
  pipeline::PipelineConfig config = question.config;
  const twin::RunOptions run{config.workers, question.preprocess_s_per_sample};
  const twin::TwinModel model(twin::load_twin(board), workload, run, config.batch);
  const twin::MemoryFootprint memory = model.memory(config.batch);
  require_memory(model, *workload, config.batch, board.name);
  config.cache_bytes =
      question.cache_bytes.value_or(std::max(0.0, memory.free_bytes() - memory.needed_bytes()));
  const KnobSpace space = knob_space(board);
  const PowerMode mode = mode_on(space, question.mode);
  const twin::Estimator& estimator = model.estimator(config.batch);
  EpochAnswer found;
  found.clocks = estimator.breakdown(mode, run).clocks;
  found.config = pipeline::on_twin(config, model, mode);
  found.changes = pipeline::changes_on_twin(config, model, space, mode);
  found.ground = model.provenance() + "; " + describe(found.clocks);
  found.origin = {workload->name(),     std::string(name_of(WorkloadKind::kTraining)),
                  board.name,           Provenance::kModelled,
                  model.twin().runtime, model.twin().status};
  found.caveats = estimator.cost().caveats;
  return found;
}

EpochAnswer epochs_of_times(const pipeline::PipelineConfig& config) {
  EpochAnswer found;
  found.config = config;
  found.changes = pipeline::all_changes(config);
  found.ground = "modelled from the times given";
  found.origin = {"", std::string(name_of(WorkloadKind::kTraining)), "", Provenance::kModelled};
  return found;
}

std::vector<NamedEpoch> epochs_of(const EpochAnswer& found, int simulated, std::uint64_t seed) {
  const auto& config = found.config;
  const bool known = config.base_w > 0 || config.compute_w > 0 || config.core_w > 0;
  std::vector<NamedEpoch> epochs;
  for (const int epoch : {0, 1}) {
    const std::string name = epoch == 0 ? "0" : "later";
    epochs.push_back({name, pipeline::epoch_cost(config, epoch), known});
    if (simulated == 0) continue;
    epochs.push_back(
        {name + ", simulated", pipeline::simulate_epochs(config, epoch, seed, simulated), known});
  }
  return epochs;
}

std::string relief_of(const EpochAnswer& found) {
  const double later_s = pipeline::epoch_cost(found.config, 1).time_s;
  if (found.changes.empty()) return "none in the table";
  const auto& best = found.changes.front();
  if (best.later.time_s >= 0.99 * later_s) return "none in the table";
  return fmt::format("{}: later epochs take {:.1f} % less", best.change,
                     100 * (1 - best.later.time_s / later_s));
}

}  // namespace ridgewatt::answer
