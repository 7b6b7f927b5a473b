// Computes the figure of our models for a finding.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/evaluate/board_findings.h"
#include "ridgewatt/evaluate/finding/quantity.h"

namespace ridgewatt::evaluate {

// A range of figures in SI units, with shares as fractions; a single figure if `lo` equals `hi`.
struct FigureRange {
  double lo = 0;
  double hi = 0;
};

class FindingValues {
 public:
  explicit FindingValues(TwinOf twin_of) : quantity_(std::move(twin_of)) {}

  // Returns the range over all settings to which the finding applies, or may apply if a value was
  // not published. Throws NotSupportedError if a model cannot compute it.
  FigureRange operator()(const Finding& finding);
  // Returns the clocks one level below and above `clock_hz` in the board's table; at an end of the
  // table, `clock_hz` itself.
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
