#include "ridgewatt/sweep/trusted_sweep.h"

#include <fmt/format.h>

#include <fstream>
#include <utility>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/plural.h"
#include "ridgewatt/io/shell.h"
#include "ridgewatt/sweep/quality.h"

namespace ridgewatt {
namespace {

// A file with intervals is an output of `predict` or `estimate`, whatever its rows were made from.
bool states_intervals(const std::string& path) {
  std::ifstream file(path);
  std::string header;
  return std::getline(file, header) && header.find("time_lo_ms") != std::string::npos;
}

}  // namespace

std::string TrustedSweep::remark() const {
  std::string text;
  if (dropped > 0) {
    text = fmt::format("{}: {} of {} left out by the quality check (--keep-outliers keeps them)",
                       path, dropped, counted(rows, "row"));
  }
  if (const std::string flags = flags_remark(sweep); !flags.empty()) {
    text += (text.empty() ? path + ": " : "; ") + flags;
  }
  if (states_intervals(path)) {
    text += (text.empty() ? path + ": " : "; ");
    text += "the rows are estimates with intervals, which are not read: they count as measured";
  }
  return text;
}

std::string flags_remark(const Sweep& sweep) {
  PointFlags all;
  for (const auto& flags : sweep.flags) all.add(flags);
  if (all.empty()) return "";
  return fmt::format("{} of {} flagged when measured ({})", sweep.flagged_rows(),
                     counted(sweep.observations.size(), "row"), all.text());
}

TrustedSweep read_trusted_sweep(const std::string& path, const TrustOptions& options) {
  Sweep chosen = choose_sweep(read_sweeps(path), options.workload, path);
  if (!options.keep_outliers) return drop_flagged_rows(chosen, path);
  const std::size_t rows = chosen.observations.size();
  return {average_repeats(std::move(chosen)), path, rows, 0};
}

TrustedSweep drop_flagged_rows(const Sweep& sweep, const std::string& path) {
  const QualityReport report = check_quality(sweep);
  const std::size_t flagged = report.flagged_rows(), rows = sweep.observations.size();
  if (report.flagged_share() > kMostFlagged) {
    throw InputError(
        fmt::format("the quality check flags {} of {}, which is too many to leave out", flagged,
                    counted(rows, "row")),
        path,
        "`ridgewatt sweep check " + shell_quoted(path) +
            "` prints the reasons; --keep-outliers, if the command has it, uses all rows");
  }
  return {trusted_rows(sweep, report), path, rows, flagged};
}

}  // namespace ridgewatt
