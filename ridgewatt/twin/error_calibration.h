// How sure the twin's estimates are, learned by leaving workloads, kinds and boards out.
//
// The score of what is left out never uses its own data: neither for the parameters nor for the
// scales of the error. For that, twins are fitted without one, two and three workloads: the scales
// for a workload come from twins that saw neither it nor the workloads that they are judged on.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ridgewatt/twin/estimate_error.h"
#include "ridgewatt/twin/twin_fit.h"

namespace ridgewatt::twin {

// What 90 % intervals hold of something that the twin did not see.
struct CoverageRow {
  std::string left_out;  // "workload", "kind", "board"; "published": known from a paper alone
  std::string name;
  std::size_t rows = 0;
  struct Held {
    double share = 0;   // of rows that lie inside; NaN: this quantity was not measured
    double factor = 0;  // mean of upper end over estimate
  };
  std::array<Held, kQuantities.size()> held{};
};

// Twins that did not see some workloads, each fitted once; workloads go by their place in names().
class LeftOutTwins {
 public:
  // `fitted`, the twin of all workloads, is where the other fits start. Runs on other boards
  // (CalibrationRun::board) are judged, never fitted.
  LeftOutTwins(const Twin& start, const Twin& fitted, const std::vector<CalibrationRun>& runs,
               const CalibrateOptions& options);
  ~LeftOutTwins();
  const std::vector<std::string>& names() const { return names_; }
  const Twin& without(const std::vector<std::size_t>& left_out);
  // The scales of all quantities, from every workload judged by twins that saw neither it nor
  // `never` (sorted).
  TwinErrors errors(const std::vector<std::size_t>& never);
  // How much less sure another board is, from all boards that runs are on but `left_out`.
  void add_boards(const std::string& left_out, TwinErrors& errors) const;
  // Coverage of left-out workloads, kinds and boards, and of what is published of this board.
  std::vector<CoverageRow> coverage();

 private:
  struct Case;
  std::vector<const CalibrationRun*> runs_of(const std::vector<std::size_t>& workloads) const;
  const std::vector<Case>& cases(const std::vector<std::size_t>& left_out, std::size_t workload);
  std::vector<std::vector<std::size_t>> kinds()
      const;                                // the workloads of each, where there are two
  std::vector<std::string> boards() const;  // others that runs are on
  Twin on_board(const std::string& name) const;

  Twin start_, fitted_;
  std::vector<CalibrationRun> home_, elsewhere_;
  CalibrateOptions options_;
  std::vector<std::string> names_;
  std::map<std::vector<std::size_t>, Twin> twins_;
  std::map<std::pair<std::vector<std::size_t>, std::size_t>, std::vector<Case>> cases_;
};

// The coverage of a twin and its intervals as they are, by workload; on other boards that of the
// twin that is shipped for them.
std::vector<CoverageRow> coverage_as_it_is(const Twin& twin,
                                           const std::vector<CalibrationRun>& runs);

}  // namespace ridgewatt::twin
