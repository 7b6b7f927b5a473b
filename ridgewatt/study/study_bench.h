// Runs the commands of a study on a real or fake board and measures them, or takes the results from
// a sweep.
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
    double settle_s = 1;               // wait after a change of the mode
    std::string state_folder{};        // folder of the journal that restores the mode
    bool full_fan = false;             // run the fan at full speed in all runs
    measure::CacheOptions cache = {};  // treatment of the file cache before each run
  };
  // `device` must outlive this. If `full_fan` is set and the fan cannot be set, throws the error of
  // the mode control.
  CommandBench(const platform::LocalDevice& device, const Options& options);
  ~CommandBench();
  CommandBench(const CommandBench&) = delete;
  CommandBench& operator=(const CommandBench&) = delete;

  // Prepares a study; call it before the first run. Resolves numbers of levels and named levels
  // ("min", "mid", "max"), leaves out optional parts that are not available here and reports them
  // in remarks(), and runs the setup command of the study. Throws NotSupportedError or UsageError
  // for a required factor, level or program that is not available, and Error if the setup fails.
  void prepare(Study& study);
  // Levels, factors and programs that were left out or replaced, and the conditions that are fixed.
  const std::vector<std::string>& remarks() const { return remarks_; }
  // Notes that programs printed in the runs so far, each once.
  const std::vector<std::string>& notes() const { return notes_; }
  std::size_t malformed_marks() const { return malformed_marks_; }  // of the runs so far
  // Sets the mode of the cell, runs the command and measures it. Throws Error if the command fails.
  Responses run(const Study& study, const StudyCell& cell);
  // Restores the original mode of the board.
  void restore();
  Provenance provenance() const;  // kMeasured or kFake

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
  std::string no_control_;  // the reason why there is no mode control
  measure::RunCache cache_;
  std::vector<std::string> remarks_, notes_;
  std::size_t malformed_marks_ = 0;
};

// Returns the rows of a sweep as results. Factors of the study that are knobs or the batch define
// the cells; everything else that varies defines the blocks. The levels of the sweep replace those
// of the study. Times and energies are per sample, or per minibatch if a batch of the sweep is
// unknown. Factors that the sweep does not vary are removed from the study and named in `left_out`.
// Throws NotSupportedError if no factor remains.
std::vector<StudyResult> replay_study(Study& study, const Sweep& sweep,
                                      std::vector<std::string>& left_out);

}  // namespace ridgewatt::study
