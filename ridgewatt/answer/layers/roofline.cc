#include "ridgewatt/answer/roofline.h"

#include <fmt/format.h>

#include <algorithm>

#include "ridgewatt/answer/board/known_power.h"
#include "ridgewatt/answer/estimate.h"
#include "ridgewatt/answer/layers/varying_clocks.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/sentence.h"
#include "ridgewatt/sweep/mode_list.h"
#include "ridgewatt/twin/twin_roofline.h"

namespace ridgewatt::answer {
namespace {

// The presets of a GPU card are power limits, so its clocks vary under them.
void choose_modes(const std::string& asked, RooflineAnswer& found) {
  found.modes = select_modes(found.board, asked.empty() ? "presets" : asked);
  if (found.modes.empty())
    throw UsageError("no power mode is given for the rooflines", "",
                     "name at least one mode with --modes");
  const PowerMode first = found.modes.front();
  found.left_out =
      std::erase_if(found.modes, [](const PowerMode& mode) { return !mode.governor.empty(); });
  if (!found.modes.empty()) return;
  if (!asked.empty()) throw varying_clocks(first);
  found.modes = select_modes(found.board, "maxn");
  found.left_out = 0;
}

void check_cap(const RooflineAnswer& found) {
  const PowerMode& mode = found.modes.front();
  const double static_w = twin::twin_roofline(found.twin, mode).static_power_w;
  if (found.cap_w() > static_w) return;
  throw UsageError(
      sentence(
          "the power cap of {:.4g} W is not above the static power of the mode, which is {:.4g} W",
          found.cap_w(), static_w),
      mode_name(found.board, mode), "raise the cap or choose lower clocks");
}

}  // namespace

const twin::Estimator* RooflineAnswer::estimator() const {
  return model ? &model->estimator(batch) : nullptr;
}

workload::Precision RooflineAnswer::precision() const {
  if (!model) return workload::Precision::kFp32;
  const workload::WorkloadCost& cost = estimator()->cost();
  // Contractions of an engine use its precision. Operations that fall back to another one are
  // fewer.
  return is_eager(cost.runtime) ? cost.arithmetic : cost.precision;
}

double RooflineAnswer::cap_w() const {
  return std::min(power_cap_w.value_or(twin::kNoCap), board.power_limit_w.value_or(twin::kNoCap));
}

int RooflineQuestion::batch() const {
  if (batches.size() > 1)
    throw UsageError("layers are shown at one batch, but --batch gives several", "",
                     "give one batch");
  return batches.empty() ? 0 : batches.front();
}

RooflineAnswer roofline_on_board(const RooflineQuestion& question,
                                 const std::shared_ptr<const workload::DeployedWorkload>& workload,
                                 const std::string& device) {
  RooflineAnswer found;
  found.device = device;
  found.board = load_board(device);
  found.twin = twin::load_twin(found.board);
  require_power(found.twin, found.board.name,
                "`ridgewatt layers --profile` places measured layers under a processor's roofs");
  choose_modes(question.modes, found);
  found.power_cap_w = question.power_cap_w;
  found.levels = question.levels;
  found.seed = question.seed;
  std::string name, kind;
  if (workload) {
    name = workload->name();
    kind = name_of(workload->options().kind);
    found.batch = question.batch() > 0 ? question.batch() : usual_batch(*workload);
    found.model = std::make_shared<const twin::TwinModel>(found.twin, workload, question.run);
    found.twin = found.estimator()->twin();
  }
  check_cap(found);
  found.origin = {
      name, kind, found.board.name, Provenance::kModelled, found.twin.runtime, found.twin.status};
  return found;
}

}  // namespace ridgewatt::answer
