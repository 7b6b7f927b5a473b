// Where a study runs: a live or fake board on which commands are measured, or a sweep that is
// replayed.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ridgewatt/measure/measure_command.h"
#include "ridgewatt/measure/run_conditions.h"
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
    double settle_s = 1;               // after a change of mode
    std::string state_folder{};        // of the mode journal
    bool full_fan = false;             // held for all runs
    measure::CacheOptions cache = {};  // before each run
  };
  CommandBench(const platform::LocalDevice& device, const Options& options);
  ~CommandBench();
  CommandBench(const CommandBench&) = delete;
  CommandBench& operator=(const CommandBench&) = delete;

  // Before the first run: gives counted and named levels ("min", "mid", "max") their values, and
  // throws NotSupportedError or UsageError for the first factor, level or program that this machine
  // cannot set or lacks. What the study can do without is left out and told in remarks(). Then runs
  // the study's setup.
  void prepare(Study& study);
  // Levels, factors and programs that were left out or replaced, and conditions that are held.
  const std::vector<std::string>& remarks() const { return remarks_; }
  // What programs said of themselves in the runs so far, each once.
  const std::vector<std::string>& notes() const { return notes_; }
  // Sets the cell's mode, runs the command and measures it. Throws Error when it fails.
  Responses run(const Study& study, const StudyCell& cell);
  // Brings the board's first mode back.
  void restore();
  Provenance provenance() const;  // measured or fake

 private:
  void resolve(StudyFactor& factor) const;
  void resolve_governors(const StudyFactor& factor) const;
  void resolve_factors(Study& study);
  void leave_out_levels(Study& study);
  void choose_command(Study& study);
  void set_mode(const Study& study, const StudyCell& cell);
  Responses responses_of(const Study& study, const measure::Measurement& measured);

  const platform::LocalDevice& device_;
  platform::PowerMeter meter_;  // opened once for all runs
  Options options_;
  std::unique_ptr<platform::JetsonModeControl> control_;
  std::string no_control_;  // why there is no mode control
  measure::RunCache cache_;
  std::vector<std::string> remarks_, notes_;
};

// The rows of a sweep as results: cells by the study's factors, which are knobs or batch, blocks by
// all else that varies. Levels become those of the sweep. Times and energies are per sample.
// Factors that the sweep does not vary leave the study and are named in `left_out`;
// NotSupportedError when none is left.
std::vector<StudyResult> replay_study(Study& study, const Sweep& sweep,
                                      std::vector<std::string>& left_out);

}  // namespace ridgewatt::study
