#include "ridgewatt/answer/board/time_unit.h"

#include "ridgewatt/base/sentence.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/twin/twin.h"
#include "ridgewatt/twin/twin_model.h"

namespace ridgewatt::answer {

std::string time_unit_fault(const std::vector<double>& ratios, const std::string& workload) {
  if (ratios.empty()) return "";
  const double ratio = median(ratios);
  if (ratio < kImplausibleTimes && ratio > 1 / kImplausibleTimes) return "";
  return sentence("the measured times of {} are {:.2g} times the modelled times (median)", workload,
                  ratio);
}

std::string time_unit_remark(const Sweep& samples, const std::string& device,
                             const std::shared_ptr<const workload::DeployedWorkload>& workload,
                             const twin::RunOptions& run) {
  if (device.empty() || workload == nullptr) return "";
  const twin::TwinModel model(twin::load_twin(load_board(device)), workload, run);
  std::vector<double> ratios;
  for (const auto& row : samples.observations) {
    const Observation modelled = model.observe_as(samples.provenance, row.point);
    if (modelled.time_s > 0) ratios.push_back(row.time_s / modelled.time_s);
  }
  const std::string fault = time_unit_fault(ratios, samples.workload + " " + samples.kind);
  return fault.empty() ? "" : fault + ": check the unit of time_ms, and the model";
}

}  // namespace ridgewatt::answer
