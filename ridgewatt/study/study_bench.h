// Runs a study: measures commands on a real or fake board, or replays a sweep.
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

  // Before the first run: resolves counted and named levels ("min", "mid", "max") and throws
  // NotSupportedError or UsageError for the first factor, level or program that this machine does
  // not have. Optional parts are left out and reported in remarks(). Then runs the setup of the
  // study.
  void prepare(Study& study);
  // Levels, factors and programs that were left out or replaced, and the fixed conditions.
  const std::vector<std::string>& remarks() const { return remarks_; }
  // Notes that programs printed in the runs so far, each once.
  const std::vector<std::string>& notes() const { return notes_; }
  // Sets the mode of the cell, runs the command and measures it. Throws Error if it fails.
  Responses run(const Study& study, const StudyCell& cell);
  // Restores the first mode of the board.
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
  std::string no_control_;  // the reason for having no mode control
  measure::RunCache cache_;
  std::vector<std::string> remarks_, notes_;
};

// The rows of a sweep as results: cells by the factors of the study, which are knobs or batch,
// blocks by everything else that varies. Levels become those of the sweep. Times and energies are
// per sample. Factors that the sweep does not vary are removed from the study and named in
// `left_out`; throws NotSupportedError if none remains.
std::vector<StudyResult> replay_study(Study& study, const Sweep& sweep,
                                      std::vector<std::string>& left_out);

}  // namespace ridgewatt::study
