#include <fmt/format.h>

#include <algorithm>

#include "ridgewatt/answer/board/known_power.h"
#include "ridgewatt/answer/jobs.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/parallel.h"
#include "ridgewatt/tune/choice.h"

namespace ridgewatt::answer {
namespace {

// The part with the most energy. Its error is used as the error of the whole plan.
const govern::JobPart* main_part(const govern::JobWay& way) {
  const govern::JobPart* most = nullptr;
  for (const auto& part : way.parts) {
    if (!part.wait && (!most || part.energy_j > most->energy_j)) most = &part;
  }
  return most;
}

predict::Estimate with_error(const ModeCosts& costs, const govern::JobWay& way, double value,
                             std::size_t quantity) {
  const govern::JobPart* part = main_part(way);
  if (part == nullptr) return {value, value, value};
  return tune::estimate_of(value, costs.model->error(costs.points[part->mode])[quantity]);
}

}  // namespace

predict::Estimate ModeCosts::time_of(const govern::JobWay& way) const {
  return with_error(*this, way, way.end_s, twin::kTime);
}

predict::Estimate ModeCosts::energy_of(const govern::JobWay& way) const {
  return with_error(*this, way, way.energy_j, twin::kEnergy);
}

ModeCosts mode_costs(const std::shared_ptr<const workload::DeployedWorkload>& workload,
                     const std::string& device, int batch, const twin::RunOptions& run) {
  const Board board = load_board(device);
  const twin::Twin twin = twin::load_twin(board);
  require_power(twin, board.name, "a plan of a job needs it: name a board with a GPU");
  ModeCosts found;
  found.model = std::make_shared<const twin::TwinModel>(twin, workload, run);
  const twin::TwinModel& model = *found.model;
  if (!model.fits_memory(batch)) {
    throw UsageError(
        fmt::format("a minibatch of {} samples does not fit into the memory of {}", batch, device),
        "", "give a smaller --batch");
  }
  const KnobSpace space = knob_space(board);
  for (const auto& mode : space.modes()) found.points.push_back({mode, batch});
  found.costs.resize(found.points.size());
  parallel_for(found.points.size(), [&](std::size_t i) {
    const twin::MinibatchCost cost = model(found.points[i]);
    found.costs[i] = {cost.period_s, cost.power_w,
                      twin::idle_power_w(model.twin(), found.points[i].mode)};
  });
  const workload::WorkloadCost& priced = model.estimator(batch).cost();
  const std::string kind(name_of(priced.kind));
  found.workload = fmt::format("{}, {}, {}, on {}", workload->name(), kind,
                               name_of(priced.precision), board.title);
  found.origin = {workload->name(),   kind, board.name, Provenance::kModelled, model.twin().runtime,
                  model.twin().status};
  found.remark = model.provenance();
  found.caveats = priced.caveats;
  return found;
}

}  // namespace ridgewatt::answer
