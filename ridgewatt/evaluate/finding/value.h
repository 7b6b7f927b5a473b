// What a board's twin says where a finding has a figure.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "ridgewatt/evaluate/board_findings.h"
#include "ridgewatt/evaluate/finding/setting.h"
#include "ridgewatt/twin/twin_model.h"

namespace ridgewatt::evaluate {

// From `lo` to `hi`: one figure where they are equal. SI, shares as fractions.
struct FigureRange {
  double lo = 0;
  double hi = 0;
};

class FindingValues {
 public:
  explicit FindingValues(std::function<const twin::Twin&(std::string)> twin_of)
      : twin_of_(std::move(twin_of)) {}

  // Over all settings that the finding may mean. NotSupportedError where the twin cannot be asked.
  FigureRange operator()(const Finding& finding);
  // Clocks of the board's table beside `clock_hz` (or that itself at the end of the table).
  FigureRange steps_around(const std::string& board, double clock_hz) const;

 private:
  using Asked = std::pair<const Finding&, const Setting&>;
  const twin::TwinModel& model(const Finding& finding, const std::string& board);
  twin::MinibatchCost cost(Asked asked);
  double quantity(Asked asked);
  std::vector<Setting> settings(const Finding& finding) const;
  std::vector<Setting> over_knob(const Setting& setting, Knob knob) const;
  std::vector<Setting> candidates(Asked asked) const;
  Setting changed(Asked asked) const;
  double span(Asked asked, Knob knob);
  double span_ratio(Asked asked);
  Setting best(Asked asked);
  FigureRange interior(Asked asked);
  double dominated(Asked asked);
  FigureRange figure(Asked asked);

  std::function<const twin::Twin&(std::string)> twin_of_;
  std::map<std::tuple<std::string, std::string, WorkloadKind>, std::unique_ptr<twin::TwinModel>>
      models_;
  std::map<std::pair<std::string, WorkloadKind>, std::shared_ptr<const workload::DeployedWorkload>>
      workloads_;
};

}  // namespace ridgewatt::evaluate
