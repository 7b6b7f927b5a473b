// Computes a quantity of a published fact from our models: from a board's twin with a workload in a
// setting, or from board and model files.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "ridgewatt/evaluate/board_findings.h"
#include "ridgewatt/evaluate/finding/setting.h"
#include "ridgewatt/twin/twin_model.h"

namespace ridgewatt::evaluate {

class QuantityOf {
 public:
  explicit QuantityOf(TwinOf twin_of) : twin_of_(std::move(twin_of)) {}

  // Returns the quantity in SI units, and shares as fractions. With Setting::data, times and
  // energies are those of an epoch, from the training pipeline on the twin. Otherwise they are for
  // Setting::samples or, if that is 0, per minibatch (time) and per sample (energy). Throws
  // NotSupportedError if the models cannot compute the quantity.
  double operator()(FindingQuantity quantity, const Setting& setting);
  const TwinOf& twin_of() const { return twin_of_; }

 private:
  struct Figures {
    double time_s = 0;
    double compute_s = 0;
    double stall_s = 0;
    double energy_j = 0;
    double power_w = 0;
    double cached_share = 0;  // share of the data in the page cache in a later epoch
  };
  const workload::DeployedWorkload& workload(const Setting& setting);
  const twin::TwinModel& model(const Setting& setting);
  twin::Breakdown breakdown(const Setting& setting);
  Figures of_minibatches(const Setting& setting);
  Figures of_epoch(const Setting& setting);
  double of_parts(FindingQuantity quantity, const Setting& setting);
  double of_model(FindingQuantity quantity, const Setting& setting);

  TwinOf twin_of_;
  using WorkloadKey = std::tuple<std::string, WorkloadKind, std::map<std::string, std::int64_t>>;
  std::map<WorkloadKey, std::shared_ptr<const workload::DeployedWorkload>> workloads_;
  std::map<std::pair<std::string, WorkloadKey>, std::unique_ptr<twin::TwinModel>> models_;
};

}  // namespace ridgewatt::evaluate
