// A sweep: operating points of one workload with their cost, and its CSV file
//   workload,kind,batch,cpu_cores,cpu_mhz,gpu_mhz,mem_mhz,time_ms,power_w,energy_j,time_median_ms,
//   fetch_stall_ms,board,provenance
// (knobs that were not varied and quantities that were not measured have no column; a file may hold
// several workloads, kinds and origins; a file without `provenance` is a recorded sweep:
// `replayed`).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/device/knob_space.h"
#include "ridgewatt/sweep/observation.h"
#include "ridgewatt/sweep/provenance.h"

#pragma GCC visibility push(default)

namespace ridgewatt {

struct Sweep {
  std::string source;    // file, for messages
  std::string workload;  // for example "resnet18"
  std::string kind;      // "inference", "training", or a phase such as "forward"
  std::vector<Observation> observations;
  std::vector<std::size_t> lines;  // line in the file of each observation
  std::string board = {};          // of the rows; empty: unknown
  Provenance provenance = Provenance::kReplayed;
  std::optional<Runtime> runtime = {};  // of modelled rows, as RowOrigin
  std::string twin = {};

  std::vector<OperatingPoint> points() const;
  std::vector<int> batches() const;  // ascending
  KnobSpace space() const;           // the modes that occur
  RowOrigin origin() const;
  // Provenance of a result that is `made` from these rows.
  RowOrigin origin_of(Provenance made) const;
  // The same sweep without its rows.
  Sweep without_rows() const;
};

// The mean of one or more rows of one operating point: mean time, total energy over total time as
// power, and the means of all other quantities that every row has.
class RepeatMean {
 public:
  void add(const Observation& row);
  Observation mean() const;

 private:
  Observation first_;
  Observation sum_;  // power_w: sum of energies
  int count_ = 0;
};

// Combines the rows of each operating point into one row, at the position of the first.
Sweep average_repeats(Sweep sweep);

// The sweeps of a file, one per origin, in order; "FILE#NAME" selects the sweep called NAME. Throws
// InputError with file, line and column for a number that is not finite and positive (a stall may
// be 0), for a fraction of a core, and for an unknown provenance. An empty batch is 0: not a
// dimension. An empty energy, median or stall was not measured.
std::vector<Sweep> read_sweeps(const std::string& path);
// The same for the text of a file called `source`.
std::vector<Sweep> parse_sweeps(std::string_view text, const std::string& source);
// The only sweep of a file; throws UsageError with their names if there are several.
Sweep read_sweep(const std::string& path);

// Selects the sweep that `wanted` names (kSweepNames); empty: any; absent: the NAME of "FILE#NAME".
// Throws UsageError with all names unless exactly one matches. `source` is for messages.
Sweep choose_sweep(std::vector<Sweep> sweeps, const std::optional<std::string>& wanted,
                   const std::string& source);

std::string write_sweep_csv(const std::vector<Sweep>& sweeps);

}  // namespace ridgewatt

#pragma GCC visibility pop
