// A sweep: operating points of one workload with their time, power and energy, and the CSV file
// format
//
//   workload,kind,batch,cpu_cores,cpu_mhz,gpu_mhz,mem_mhz,time_ms,power_w,energy_j,time_median_ms,
//   fetch_stall_ms,board,provenance,flags
//
// Knobs that were not varied and quantities that were not measured have no column. A file may
// contain several workloads, kinds and origins. A file without `provenance` is a recorded sweep
// (`replayed`).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/base/workload_kind.h"
#include "ridgewatt/device/knob_space.h"
#include "ridgewatt/sweep/observation.h"
#include "ridgewatt/sweep/point_flag.h"
#include "ridgewatt/sweep/provenance.h"

#pragma GCC visibility push(default)

namespace ridgewatt {

struct Sweep {
  std::string source;    // name of the file, for messages
  std::string workload;  // for example "resnet18"
  std::string kind;      // "inference", "training", or a phase such as "forward"
  std::vector<Observation> observations;
  std::vector<std::size_t> lines;  // line in the file, one per observation
  std::string board = {};          // Board of the rows. Empty: not known.
  Provenance provenance = Provenance::kReplayed;
  std::optional<Runtime> runtime = {};  // of modelled rows, as in RowOrigin; also `twin`
  std::string twin = {};
  // Why the measurement of a row may be inaccurate. Rows without an entry have no flag.
  std::vector<PointFlags> flags = {};
  bool kind_stated = true;  // false: the file has no kind, and `kind` is the default

  PointFlags flags_of(std::size_t row) const;
  std::size_t flagged_rows() const;  // number of rows with a flag
  // Appends a row of another sweep, with its line and its flags.
  void add_row(const Sweep& from, std::size_t row);
  std::vector<OperatingPoint> points() const;
  std::vector<int> batches() const;  // ascending
  KnobSpace space() const;           // the modes that occur
  RowOrigin origin() const;
  // Returns the origin of a result that is made from these rows with the provenance `made`.
  RowOrigin origin_of(Provenance made) const;
  // Sets `kind` to `role`, the kind that the caller expects, if the file states no kind. Throws
  // UsageError if the file states the other kind. A phase such as "forward" fits any role.
  void take_role(WorkloadKind role);
  // Returns the sweep without its observations.
  Sweep without_rows() const;
};

// Mean of the rows of one operating point. Time: mean. Power: total energy / total time. Other
// quantities: mean, if every row has them.
class RepeatMean {
 public:
  void add(const Observation& row);
  Observation mean() const;

 private:
  Observation first_;
  Observation sum_;  // Sums. power_w holds the sum of energies.
  int count_ = 0;
};

// Combines the rows of each operating point into one row, at the position of the first.
Sweep average_repeats(Sweep sweep);

// Reads the sweeps of a file, one per origin, in order. "FILE#NAME" selects the sweep NAME. Throws
// InputError, with file, line and column, for a number that is not finite and positive (a stall may
// be 0), a fractional number of cores or an unknown provenance, and UsageError for an unknown NAME.
// An empty batch is 0 (not a dimension). An empty energy, median or stall was not measured.
std::vector<Sweep> read_sweeps(const std::string& path);
// Like read_sweeps(), for the text of a file called `source`.
std::vector<Sweep> parse_sweeps(std::string_view text, const std::string& source);
// Reads the only sweep of a file. Throws UsageError, which lists the names, if there are several.
Sweep read_sweep(const std::string& path);

// Returns the only sweep that matches `wanted`: "NAME[:KIND[:PROVENANCE]][@BOARD]" or "@BOARD". An
// absent or empty `wanted` matches any sweep. Throws UsageError with all names unless exactly one
// sweep matches. `source`: name in messages. If `wanted` is absent, messages recommend "FILE#NAME"
// instead of --workload.
Sweep choose_sweep(std::vector<Sweep> sweeps, const std::optional<std::string>& wanted,
                   const std::string& source);

std::string write_sweep_csv(const std::vector<Sweep>& sweeps);

}  // namespace ridgewatt

#pragma GCC visibility pop
