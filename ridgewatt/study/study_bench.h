// Where a study runs: a live or fake board on which commands are measured, or a sweep that is
// replayed.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ridgewatt/platform/local_device.h"
#include "ridgewatt/platform/mode_control.h"
#include "ridgewatt/platform/power_source.h"
#include "ridgewatt/study/study.h"
#include "ridgewatt/sweep/sweep.h"

namespace ridgewatt::study {

class CommandBench {
 public:
  struct Options {
    double rate_hz = 100;
    double settle_s = 1;       // after a change of mode
    std::string state_folder;  // of the mode journal
  };
  CommandBench(const platform::LocalDevice& device, const Options& options);
  ~CommandBench();
  CommandBench(const CommandBench&) = delete;
  CommandBench& operator=(const CommandBench&) = delete;

  // Before the first run: gives counted and named levels ("min", "mid", "max") their values, and
  // throws NotSupportedError or UsageError for the first factor, level or program that this machine
  // cannot set or lacks. Then runs the study's setup.
  void prepare(Study& study);
  // Sets the cell's mode, runs the command and measures it. Throws Error when it fails.
  Responses run(const Study& study, const StudyCell& cell);
  // Brings the board's first mode back.
  void restore();
  Provenance provenance() const;  // measured or fake

 private:
  void resolve(StudyFactor& factor) const;

  const platform::LocalDevice& device_;
  platform::PowerMeter meter_;  // opened once for all runs
  Options options_;
  std::unique_ptr<platform::JetsonModeControl> control_;
  std::string no_control_;  // why there is no mode control
};

// The rows of a sweep as results: cells by the study's factors, which are knobs or batch, blocks by
// all else that varies. Levels become those of the sweep. Times and energies are per sample.
// Factors that the sweep does not vary leave the study and are named in `left_out`;
// NotSupportedError when none is left.
std::vector<StudyResult> replay_study(Study& study, const Sweep& sweep,
                                      std::vector<std::string>& left_out);

}  // namespace ridgewatt::study
