// Compares the facts that published studies state about boards ("the GPU clock of least energy is
// 614 MHz") with our models of the boards. Each fact is a row of studies/published/facts_*.csv,
// with the setting in which it was published (docs/methods/findings.md).
//
//   for (const FindingVerdict& v : judge_board_findings(board_findings(), twin_of))
//     std::cout << v.finding.id << ' ' << name_of(v.verdict) << ' ' << v.lo << '\n';
//
// Numbers are in the unit of the finding, which is that of the publication.
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
  kBestClock,  // the GPU clock of least energy over the clocks of knobs
  kInterior,   // whether it is neither the lowest nor the highest, and relevant
  kSaving,     // of energy, at the best clocks of the knobs, or of all modes
  kSlowdown,   // at these clocks
  kDominated,  // the highest energy saving of another mode that takes no more time
  kOrder,      // whether the quantity rises from each alternative to the next
  kLeast,      // whether no alternative has less of it
  kMost,       // whether no alternative has more of it
  kSpread,     // relative, from the alternative with the most to that with the least
  kExtremes,   // ratio of the most to the least of the alternatives
  kFront,      // alternatives on the front of time and energy
  kOnFront,    // whether the setting is on it
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
                             {FindingForm::kDominated, "dominated"},
                             {FindingForm::kOrder, "order"},
                             {FindingForm::kLeast, "least"},
                             {FindingForm::kMost, "most"},
                             {FindingForm::kSpread, "spread"},
                             {FindingForm::kExtremes, "extremes"},
                             {FindingForm::kFront, "front"},
                             {FindingForm::kOnFront, "on_front"}});
}

// In groups, by what answers: the period of a minibatch or an epoch, its parts, the model file, the
// board file.
enum class FindingQuantity {
  kTime,         // from one minibatch to the next, or of an epoch
  kCompute,      // the part of launching and computing
  kStall,        // the part of waiting for data
  kStallShare,   // of the time
  kPower,        // average
  kEnergy,       // of a sample or an epoch
  kIdlePower,    // without work
  kIdleShare,    // of the average power
  kCachedShare,  // of the data that a later epoch finds in the page cache
  kGpuBusy,      // share of the time in which kernels run
  kCpuBusy,      // of all cores
  kGpuClock,     // at which it runs
  kFits,         // whether it fits the memory of the board
  kParameters,
  kMacs,
  kFlop,
  kCores,
  kCudaCores,
  kMemory,
  kPowerLimit,
  kModes,
  kCpuClocks,  // how many
  kGpuClocks,
  kMemClocks,
  kCpuClockMax,
  kGpuClockMax,
  kMemClockMax,
  kCpuClockMin,
  kGpuClockMin,
};
constexpr auto enum_names(FindingQuantity) {
  return named<FindingQuantity>({{FindingQuantity::kTime, "time"},
                                 {FindingQuantity::kCompute, "compute"},
                                 {FindingQuantity::kStall, "stall"},
                                 {FindingQuantity::kStallShare, "stall_share"},
                                 {FindingQuantity::kPower, "power"},
                                 {FindingQuantity::kEnergy, "energy"},
                                 {FindingQuantity::kIdlePower, "idle_power"},
                                 {FindingQuantity::kIdleShare, "idle_share"},
                                 {FindingQuantity::kCachedShare, "cached_share"},
                                 {FindingQuantity::kGpuBusy, "gpu_busy"},
                                 {FindingQuantity::kCpuBusy, "cpu_busy"},
                                 {FindingQuantity::kGpuClock, "gpu_clock"},
                                 {FindingQuantity::kFits, "fits"},
                                 {FindingQuantity::kParameters, "parameters"},
                                 {FindingQuantity::kMacs, "macs"},
                                 {FindingQuantity::kFlop, "flop"},
                                 {FindingQuantity::kCores, "cores"},
                                 {FindingQuantity::kCudaCores, "cuda_cores"},
                                 {FindingQuantity::kMemory, "memory"},
                                 {FindingQuantity::kPowerLimit, "power_limit"},
                                 {FindingQuantity::kModes, "modes"},
                                 {FindingQuantity::kCpuClocks, "cpu_clocks"},
                                 {FindingQuantity::kGpuClocks, "gpu_clocks"},
                                 {FindingQuantity::kMemClocks, "mem_clocks"},
                                 {FindingQuantity::kCpuClockMax, "cpu_clock_max"},
                                 {FindingQuantity::kGpuClockMax, "gpu_clock_max"},
                                 {FindingQuantity::kMemClockMax, "mem_clock_max"},
                                 {FindingQuantity::kCpuClockMin, "cpu_clock_min"},
                                 {FindingQuantity::kGpuClockMin, "gpu_clock_min"}});
}

// What a fact is about: what a board does, or what it or a network is.
enum class FindingKind { kBehavior, kDescription };
constexpr auto enum_names(FindingKind) {
  return named<FindingKind>(
      {{FindingKind::kBehavior, "behavior"}, {FindingKind::kDescription, "description"}});
}

struct Finding {
  std::string id;
  std::string study;   // "training": the file facts_training.csv
  std::string source;  // the publication
  std::string place;   // in it: "5.6.4, figure 9a"
  std::string sentence;
  std::string board;
  std::string model;
  WorkloadKind kind = WorkloadKind::kInference;
  int batch = 1;
  double samples = 0;  // the number of samples of times and energies; 0: per minibatch, per sample
  FindingForm form = FindingForm::kValue;
  FindingQuantity quantity = FindingQuantity::kTime;
  std::string at;  // the setting, in words (docs/methods/findings.md)
  std::string to;  // for changes: what differs; otherwise knobs, "all", or alternatives
  double lo = 0;
  double hi = 0;  // infinite: "at least"
  std::string unit;
  // Figures that count as the same; a best clock is compared with the steps of its table instead.
  double accepted_lo = 0;
  double accepted_hi = 0;
  bool fitted = false;  // the board's twin was fitted to it (studies/published/boards.csv)
  std::string cannot;   // why it cannot be asked; empty: it is

  FindingKind about() const;
  // Kept for judging: no model may be fitted to it. Decided for all facts of a section of a study
  // about one board and one network together, by the FNV-1a hash of these words modulo 3.
  bool kept_aside() const;
};

// The facts of all files, in their order.
std::vector<Finding> board_findings();
// Whether the finding is of this board or compares its own with it.
bool concerns(const Finding& finding, const std::string& board);

enum class Verdict { kReproduced, kNotReproduced, kCannotTell, kCannotAsk };
constexpr auto enum_names(Verdict) {
  return named<Verdict>({{Verdict::kReproduced, "reproduced"},
                         {Verdict::kNotReproduced, "not"},
                         {Verdict::kCannotTell, "cannot tell"},
                         {Verdict::kCannotAsk, "cannot be asked"}});
}

struct FindingVerdict {
  Finding finding;
  double lo = 0;  // our figure; a range if the fact is of several settings
  double hi = 0;
  Verdict verdict = Verdict::kCannotTell;
  std::string why;  // the reason why it cannot be judged, or what was not published
};

// The findings of these boards, names or board files; of all where there are none. A board that was
// asked for, perhaps from a file, stands for the one of its name. NotFoundError: no findings.
std::vector<FindingVerdict> judge_boards(const std::vector<std::string>& boards);
// `twin_of` returns the twin of a board by name; the twin must outlive the call.
std::vector<FindingVerdict> judge_board_findings(
    std::span<const Finding> findings,
    const std::function<const twin::Twin&(std::string board)>& twin_of);

}  // namespace ridgewatt::evaluate
