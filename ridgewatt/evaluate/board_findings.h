// Compares published facts about boards, such as "the GPU clock of least energy is 614 MHz", with
// our models of the boards. Each fact is a row of studies/published/facts_*.csv and has the setting
// to which it applies (docs/methods/findings.md). This code calls a fact a finding.
//
//   for (const FindingVerdict& v : judge_board_findings(board_findings(), twin_of))
//     std::cout << v.finding.id << ' ' << name_of(v.verdict) << ' ' << v.lo << '\n';
//
// Numbers are in the unit of the finding, which is the published unit.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/base/workload_kind.h"
#include "ridgewatt/twin/twin.h"

namespace ridgewatt::evaluate {

// The operation that gives the figure of a finding.
enum class FindingForm {
  kValue,      // value of the quantity at `at`
  kChange,     // relative change from `at` to `to`
  kRatio,      // ratio of `to` to `at`
  kSpan,       // maximum minus minimum over the clocks of a knob
  kSpanRatio,  // ratio of kSpan of two knobs
  kBestClock,  // GPU clock with the least energy, over the clocks of the knobs
  kInterior,   // whether both ends of the clock table need clearly more energy than the best clock
  kSaving,     // energy saving at the best clocks of the knobs, or in the best of all modes
  kSlowdown,   // slowdown at these clocks
  kDominated,  // largest energy saving of a mode that takes no more time
  kOrder,      // whether the quantity increases from each alternative to the next
  kLeast,      // whether no alternative has a lower value
  kMost,       // whether no alternative has a higher value
  kSpread,     // relative change from the largest to the smallest value of the alternatives
  kExtremes,   // ratio of the largest to the smallest value of the alternatives
  kFront,      // number of alternatives on the Pareto front of time and energy
  kOnFront,    // whether the setting is on this front
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

// The quantity of a finding. The groups below are: whole minibatch or epoch, its parts, model file,
// board file.
enum class FindingQuantity {
  kTime,         // period of a minibatch, or time of an epoch
  kCompute,      // time of launching and computing
  kStall,        // time of waiting for data
  kStallShare,   // `kStall` as a share of the time
  kPower,        // average
  kEnergy,       // of a sample or an epoch
  kIdlePower,    // power without work
  kIdleShare,    // `kIdlePower` as a share of average power
  kCachedShare,  // share of the data that a later epoch finds in the page cache
  kGpuBusy,      // share of the time in which kernels run
  kCpuBusy,      // share of the time in which CPU cores are busy, mean over all cores
  kGpuClock,     // GPU clock of the setting
  kFits,         // whether the workload fits the memory of the board
  kParameters,
  kMacs,
  kFlop,
  kCores,
  kCudaCores,
  kMemory,
  kPowerLimit,
  kModes,
  kCpuClocks,  // number of clocks
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

// Whether a finding is about the behavior of a workload on a board, or a property of a board or
// network.
enum class FindingKind { kBehavior, kDescription };
constexpr auto enum_names(FindingKind) {
  return named<FindingKind>(
      {{FindingKind::kBehavior, "behavior"}, {FindingKind::kDescription, "description"}});
}

struct Finding {
  std::string id;
  std::string study;   // name in the file name: "training" for facts_training.csv
  std::string source;  // title of the publication
  std::string place;   // place in the publication: "5.6.4, figure 9a"
  std::string sentence;
  std::string board;
  std::string model;
  WorkloadKind kind = WorkloadKind::kInference;
  int batch = 1;
  // Samples per stated time or energy. 0: times are per minibatch, energies per sample.
  double samples = 0;
  FindingForm form = FindingForm::kValue;
  FindingQuantity quantity = FindingQuantity::kTime;
  std::string at;  // the setting as text (docs/methods/findings.md)
  std::string to;  // changed setting, knobs, "all" or alternatives, depending on `form`
  double lo = 0;   // published range
  double hi = 0;   // infinite for "at least"
  std::string unit;
  // Our figure must be in this range. For kBestClock, one step of the clock table is allowed
  // instead.
  double accepted_lo = 0;
  double accepted_hi = 0;
  bool fitted = false;  // whether the board's twin was fitted to it (studies/published/boards.csv)
  std::string cannot;   // why the models cannot answer; empty: they can

  FindingKind about() const;
  // Whether the finding is held out: no model may be fitted to it. All findings of a section of a
  // study about one board and one network are held out together if the 32-bit FNV-1a hash of
  // "study|section|board|model" is divisible by 3.
  bool kept_aside() const;
};

// Returns the findings of all files, in their order.
std::vector<Finding> board_findings();
// Returns whether the finding is about this board, or compares another board with it.
bool concerns(const Finding& finding, const std::string& board);

enum class Verdict { kReproduced, kNotReproduced, kCannotTell, kCannotAsk };
constexpr auto enum_names(Verdict) {
  return named<Verdict>({{Verdict::kReproduced, "reproduced"},
                         {Verdict::kNotReproduced, "not"},
                         {Verdict::kCannotTell, "cannot tell"},
                         {Verdict::kCannotAsk, "cannot be asked"}});
}

// A finding compared with our models.
struct FindingVerdict {
  Finding finding;
  double lo = 0;  // our figure; a range for several settings
  double hi = 0;
  Verdict verdict = Verdict::kCannotTell;
  std::string why;  // reason if undecided or not answered, or the unpublished setting
};

// Compares the findings about these boards (names or board files). Empty: all boards. A board file
// replaces the board of the same name. Throws NotFoundError if there are no findings.
std::vector<FindingVerdict> judge_boards(const std::vector<std::string>& boards);
// Compares the given findings. `twin_of` returns the twin of a board by name; the twin must outlive
// the call.
std::vector<FindingVerdict> judge_board_findings(
    std::span<const Finding> findings,
    const std::function<const twin::Twin&(std::string board)>& twin_of);

}  // namespace ridgewatt::evaluate
