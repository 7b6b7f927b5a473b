#include "ridgewatt/predict/twin_reference.h"

#include <map>
#include <memory>
#include <utility>

#include "ridgewatt/base/error.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/twin/twin_fit.h"
#include "ridgewatt/twin/twin_model.h"

namespace ridgewatt::predict {
namespace {

Reference reference_of(std::string name, std::shared_ptr<const twin::TwinModel> model,
                       Provenance samples, std::vector<OperatingPoint> points) {
  Reference reference;
  reference.name = std::move(name);
  reference.points = std::move(points);
  reference.at = [model, samples](std::span<const OperatingPoint> asked) {
    std::vector<Observation> result;
    result.reserve(asked.size());
    for (const auto& point : asked) result.push_back(model->observe_as(samples, point));
    return result;
  };
  return reference;
}

}  // namespace

Reference twin_reference(const std::string& board,
                         std::shared_ptr<const workload::DeployedWorkload> workload,
                         Provenance samples, std::vector<OperatingPoint> points,
                         const twin::RunOptions& run) {
  twin::Twin twin = twin::load_twin(load_board(board));
  // Rows of a real board have the cores and clocks of a preset, which leave all SMs on.
  const bool real = samples == Provenance::kMeasured || samples == Provenance::kReplayed;
  if (real) twin.preset_sms.clear();
  return reference_of(board + " twin",
                      std::make_shared<twin::TwinModel>(twin, std::move(workload), run), samples,
                      std::move(points));
}

Reference unseen_twin_reference(const std::string& board,
                                const std::vector<twin::SweepSpec>& sweeps,
                                const twin::SweepSpec& scored) {
  const auto own = twin::load_calibration_runs(scored);
  const auto others = twin::load_calibration_runs(sweeps);
  const twin::Twin twin =
      twin::fit_twin_without(twin::prior_twin(load_board(board)), others, own.front().workload)
          .twin;
  std::map<int, std::shared_ptr<const workload::WorkloadCost>> costs;
  std::vector<OperatingPoint> points;
  for (const auto& run : own) {
    if (run.workload != own.front().workload) {
      throw UsageError("the file has several workloads, but only one can be scored", scored.path,
                       "give one file per workload");
    }
    for (const auto& row : run.observations) points.push_back(row.point);
    costs[run.observations.front().point.batch] = run.cost;
  }
  const auto workload = std::make_shared<const workload::DeployedWorkload>(std::move(costs));
  return reference_of(board + " twin",
                      std::make_shared<twin::TwinModel>(twin, workload, own.front().options),
                      Provenance::kReplayed, std::move(points));
}

}  // namespace ridgewatt::predict
