// A sweep: operating points of one workload with their cost, and its CSV file
//   workload,kind,batch,cpu_cores,cpu_mhz,gpu_mhz,mem_mhz,time_ms,power_w,energy_j,time_median_ms,
//   fetch_stall_ms,board,provenance
// (a knob that was not varied, and what was not measured, has no column; a file may hold several
// workloads, kinds and origins; a file without `provenance` is a recorded sweep: `replayed`).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/device/knob_space.h"
#include "ridgewatt/sweep/observation.h"
#include "ridgewatt/sweep/provenance.h"

namespace ridgewatt {

struct Sweep {
  std::string source;    // file, for messages
  std::string workload;  // for example "resnet18"
  std::string kind;      // "inference", "training", or a phase such as "forward"
  std::vector<Observation> observations;
  std::vector<std::size_t> lines;  // line in the file of each observation
  std::string board = {};          // that the rows are of; empty: not said
  Provenance provenance = Provenance::kReplayed;
  std::optional<Runtime> runtime = {};  // of modelled rows, as RowOrigin
  std::string twin = {};

  std::vector<OperatingPoint> points() const;
  std::vector<int> batches() const;  // ascending
  KnobSpace space() const;           // the modes that occur
  RowOrigin origin() const;
  // Where a result comes from that is `made` of these rows.
  RowOrigin origin_of(Provenance made) const;
  // The same sweep without its rows.
  Sweep without_rows() const;
};

// The mean of rows of one operating point, at least one: mean time, the power that gives their
// energy in their time, and the means of what all of them know beside.
class RepeatMean {
 public:
  void add(const Observation& row);
  Observation mean() const;

 private:
  Observation first_;
  Observation sum_;  // power_w: of energies
  int count_ = 0;
};

// The rows of one operating point as one row, where the first of them stood.
Sweep average_repeats(Sweep sweep);

// The sweeps of a file, one per origin, in order; of "FILE#NAME" those of the file called NAME.
// Throws InputError naming file, line and column on a number that is not finite and positive (a
// stall may be 0), on part of a core, and on a provenance that is not one. A batch that is empty is
// 0: not a dimension; an energy, median or stall that is empty was not measured.
std::vector<Sweep> read_sweeps(const std::string& path);
// The same of the text of a file called `source`.
std::vector<Sweep> parse_sweeps(std::string_view text, const std::string& source);
// The only sweep of a file; UsageError naming those that there are when it holds several.
Sweep read_sweep(const std::string& path);

// The one of several that `wanted` names (kSweepNames); empty: any; absent: "FILE#NAME"
// says it. UsageError with a name for each that there is when not exactly one fits; `source` is for
// messages.
Sweep choose_sweep(std::vector<Sweep> sweeps, const std::optional<std::string>& wanted,
                   const std::string& source);

std::string write_sweep_csv(const std::vector<Sweep>& sweeps);

}  // namespace ridgewatt
