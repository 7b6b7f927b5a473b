// Sentences of published studies of a board ("the GPU clock of least energy is 614 MHz") put to the
// board's twin: does it say the same? Each is a row of studies/published/board_findings.csv.
//
//   for (const FindingVerdict& v : judge_board_findings(board_findings(), twin_of))
//     std::cout << v.finding.id << ' ' << name_of(v.verdict) << ' ' << v.lo << '\n';
//
// Numbers are in the unit of the finding, which is that of print.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/base/workload_kind.h"
#include "ridgewatt/twin/twin.h"

namespace ridgewatt::evaluate {

enum class FindingForm {
  kValue,      // the quantity at a setting
  kChange,     // relative, from a setting to another
  kRatio,      // of another setting to the first
  kSpan,       // largest less smallest over the clocks of a knob
  kSpanRatio,  // of the spans over two knobs
  kBestClock,  // the GPU clock of least energy, the other knobs as they are
  kInterior,   // whether it is neither the lowest nor the highest, and matters
  kSaving,     // of energy, at the best of the knob's clocks, or of all modes
  kSlowdown,   // there
  kDominated,  // the most energy that another mode saves in no more time
};
constexpr auto enum_names(FindingForm) {
  return named<FindingForm>({{FindingForm::kValue, "value"},
                             {FindingForm::kChange, "change"},
                             {FindingForm::kRatio, "ratio"},
                             {FindingForm::kSpan, "span"},
                             {FindingForm::kSpanRatio, "span_ratio"},
                             {FindingForm::kBestClock, "best_clock"},
                             {FindingForm::kInterior, "interior"},
                             {FindingForm::kSaving, "saving"},
                             {FindingForm::kSlowdown, "slowdown"},
                             {FindingForm::kDominated, "dominated"}});
}

enum class FindingQuantity {
  kTime,       // from one minibatch to the next
  kCompute,    // of it, launching and computing
  kStall,      // of it, the wait for data
  kPower,      // average
  kEnergy,     // of a sample
  kIdlePower,  // while nothing runs
  kIdleShare,  // of the average power
};
constexpr auto enum_names(FindingQuantity) {
  return named<FindingQuantity>({{FindingQuantity::kTime, "time"},
                                 {FindingQuantity::kCompute, "compute"},
                                 {FindingQuantity::kStall, "stall"},
                                 {FindingQuantity::kPower, "power"},
                                 {FindingQuantity::kEnergy, "energy"},
                                 {FindingQuantity::kIdlePower, "idle_power"},
                                 {FindingQuantity::kIdleShare, "idle_share"}});
}

struct Finding {
  std::string id;
  std::string source;
  std::string sentence;
  std::string board;
  std::string model;
  WorkloadKind kind = WorkloadKind::kInference;
  int batch = 1;
  double samples = 0;  // times and energies are of so many; 0: of a minibatch, of a sample
  FindingForm form = FindingForm::kValue;
  FindingQuantity quantity = FindingQuantity::kTime;
  // Words "gpu=670" of a setting: cores, cpu, gpu, mem (MHz), batch, board, governor,
  // preset=default. What is not named is the highest. "cpu=1200|2100" is a setting that is not
  // published: any of them.
  std::string at;
  std::string to;  // of changes and ratios: words that differ; of the others: knobs, or "all"
  double lo = 0;
  double hi = 0;  // infinite: "at least"
  std::string unit;
  double margin = 0;  // by which a figure that counts as the same may lie outside
};

// Those of studies/published/board_findings.csv.
std::vector<Finding> board_findings();
// True of its board, and of another one that it is compared with.
bool concerns(const Finding& finding, const std::string& board);

enum class Verdict { kReproduced, kNotReproduced, kCannotTell };
constexpr auto enum_names(Verdict) {
  return named<Verdict>({{Verdict::kReproduced, "reproduced"},
                         {Verdict::kNotReproduced, "not"},
                         {Verdict::kCannotTell, "cannot tell"}});
}

struct FindingVerdict {
  Finding finding;
  double lo = 0;  // the twin's figure; a range where the setting is not published in full
  double hi = 0;
  Verdict verdict = Verdict::kCannotTell;
  std::string why;  // it cannot be told, or what was not published
};

// `twin_of`: the twin of a board by its name; it must outlive the call.
std::vector<FindingVerdict> judge_board_findings(
    std::span<const Finding> findings,
    const std::function<const twin::Twin&(std::string board)>& twin_of);

}  // namespace ridgewatt::evaluate
