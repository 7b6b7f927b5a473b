// The figure of our models that corresponds to a finding.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/evaluate/board_findings.h"
#include "ridgewatt/evaluate/finding/quantity.h"

namespace ridgewatt::evaluate {

// From `lo` to `hi`: one figure if they are equal. SI, shares as fractions.
struct FigureRange {
  double lo = 0;
  double hi = 0;
};

class FindingValues {
 public:
  explicit FindingValues(TwinOf twin_of) : quantity_(std::move(twin_of)) {}

  // Over all settings that the finding is of, or may mean. Throws NotSupportedError if a model
  // cannot give it.
  FigureRange operator()(const Finding& finding);
  // The clocks of the board's table next to `clock_hz` (or that itself at the end of the table).
  FigureRange steps_around(const std::string& board, double clock_hz) const;

 private:
  using Asked = std::pair<const Finding&, const Setting&>;
  const twin::Twin& twin_of(const Setting& setting) const {
    return quantity_.twin_of()(setting.board);
  }
  double quantity(Asked asked) { return quantity_(asked.first.quantity, asked.second); }
  double time_s(const Setting& setting) { return quantity_(FindingQuantity::kTime, setting); }
  double energy_j(const Setting& setting) { return quantity_(FindingQuantity::kEnergy, setting); }
  std::vector<Setting> over_knobs(const Setting& setting, const std::string& knobs) const;
  std::vector<Setting> candidates(Asked asked) const;
  std::vector<double> of_alternatives(Asked asked);
  FigureRange compared(Asked asked);
  double span(Asked asked, const std::string& knob);
  double span_ratio(Asked asked);
  Setting best(Asked asked);
  FigureRange interior(Asked asked);
  double dominated(Asked asked);
  FigureRange of_best(Asked asked);
  FigureRange of_set(Asked asked);
  int on_front(Asked asked, bool only_own);
  FigureRange figure(Asked asked);

  QuantityOf quantity_;
};

}  // namespace ridgewatt::evaluate
