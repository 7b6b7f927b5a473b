// A sweep without the rows that the quality check flags, repeats averaged: the input of all
// answers.
//
//   const TrustedSweep trusted = read_trusted_sweep("sweep.csv");
//   const std::string said = trusted.remark();  // "sweep.csv: 3 of 95 rows left out by .."
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
  std::size_t rows = 0, dropped = 0;  // of the file

  std::string remark() const;  // the number of rows that were dropped; empty: none
};

struct TrustOptions {
  bool keep_outliers = false;
  std::optional<std::string> workload = {};  // one of several in a file, see choose_sweep
};

// Throws the errors of read_sweeps and choose_sweep, and InputError if the share of flagged rows
// exceeds kMostFlagged.
TrustedSweep read_trusted_sweep(const std::string& path, const TrustOptions& options = {});
// The same for a sweep that was already read from `path`.
TrustedSweep drop_flagged_rows(const Sweep& sweep, const std::string& path);

}  // namespace ridgewatt

#pragma GCC visibility pop
