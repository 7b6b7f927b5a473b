// A sweep without the rows that the quality check (quality.h) flags, with repeated points averaged.
// All answers use such sweeps.
//
//   const TrustedSweep trusted = read_trusted_sweep("sweep.csv");
//   const std::string remark = trusted.remark();  // "sweep.csv: 3 of 95 rows left out by .."
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "ridgewatt/sweep/sweep.h"

#pragma GCC visibility push(default)

namespace ridgewatt {

struct TrustedSweep {
  Sweep sweep;
  std::string path;
  std::size_t rows = 0, dropped = 0;  // number of rows in the file, and how many were dropped

  // Returns the number of dropped rows, and of remaining rows with a flag, as text. Empty: none.
  std::string remark() const;
};

// Returns "3 of 95 rows flagged when measured (few-samples)"; empty if no row has a flag.
std::string flags_remark(const Sweep& sweep);

struct TrustOptions {
  // Keep the flagged rows.
  bool keep_outliers = false;
  std::optional<std::string> workload = {};  // selects a sweep of the file, see choose_sweep()
};

// Throws the errors of read_sweeps() and choose_sweep(), and InputError if the share of flagged
// rows exceeds kMostFlagged.
TrustedSweep read_trusted_sweep(const std::string& path, const TrustOptions& options = {});
// Like read_trusted_sweep(), for a sweep that was already read from `path`.
TrustedSweep drop_flagged_rows(const Sweep& sweep, const std::string& path);

}  // namespace ridgewatt

#pragma GCC visibility pop
