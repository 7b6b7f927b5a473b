// Estimates the errors of a twin by cross-validation: it leaves out workloads, kinds and boards.
//
// A left-out item is scored with parameters and error scales that were computed without its own
// data. This needs twins fitted without one, two and three workloads. The error scales for workload
// W come from twins that were fitted without W and without one other workload, on which they are
// evaluated.
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

// Coverage of the 90 % intervals on data that was left out of the fit.
struct CoverageRow {
  std::string left_out;  // "workload", "kind", "board", or "published" (known from a paper only)
  std::string name;
  std::size_t rows = 0;
  struct Held {
    // Share of the rows within their interval. NaN: the quantity was not measured.
    double share = 0;
    double factor = 0;  // mean of (upper end of the interval / estimate)
  };
  std::array<Held, kQuantities.size()> held{};
};

// Twins fitted without some workloads, each fitted once. Workloads are given as indices into
// names().
class LeftOutTwins {
 public:
  // Fits start at `fitted`, the twin of all workloads. Runs on other boards (CalibrationRun::board)
  // are used for evaluation only, never for a fit.
  LeftOutTwins(const Twin& start, const Twin& fitted, const std::vector<CalibrationRun>& runs,
               const CalibrateOptions& options);
  ~LeftOutTwins();
  // Names of the workloads on the board itself.
  const std::vector<std::string>& names() const { return names_; }
  // Returns the twin fitted without these workloads (sorted indices).
  const Twin& without(const std::vector<std::size_t>& left_out);
  // Returns the error scales of all quantities. Each workload not in `never` (sorted indices) is
  // evaluated with a twin that was fitted without it and without `never`.
  TwinErrors errors(const std::vector<std::size_t>& never);
  // Sets the additional error on another board, from all boards in the runs except `left_out`.
  void add_boards(const std::string& left_out, TwinErrors& errors) const;
  // Coverage of left-out workloads, kinds and boards, and of published figures of this board.
  std::vector<CoverageRow> coverage();

 private:
  struct Case;
  std::vector<const CalibrationRun*> runs_of(const std::vector<std::size_t>& workloads) const;
  const std::vector<Case>& cases(const std::vector<std::size_t>& left_out, std::size_t workload);
  // The workloads of each kind; empty unless both kinds occur.
  std::vector<std::vector<std::size_t>> kinds() const;
  std::vector<std::string> boards() const;  // other boards with runs
  Twin on_board(const std::string& name) const;

  Twin start_, fitted_;
  std::vector<CalibrationRun> home_, elsewhere_;
  CalibrateOptions options_;
  std::vector<std::string> names_;
  std::map<std::vector<std::size_t>, Twin> twins_;
  std::map<std::pair<std::vector<std::size_t>, std::size_t>, std::vector<Case>> cases_;
};

// Coverage of the intervals of `twin` per workload, without any new fit. Runs on another board are
// evaluated with the twin that is shipped for that board.
std::vector<CoverageRow> coverage_as_it_is(const Twin& twin,
                                           const std::vector<CalibrationRun>& runs);

}  // namespace ridgewatt::twin
