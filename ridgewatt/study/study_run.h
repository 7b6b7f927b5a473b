// Results of a study: executes the remaining runs of its plan, or takes them from a sweep. An
// interrupted study continues where it stopped.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ridgewatt/study/study_bench.h"
#include "ridgewatt/study/study_log.h"
#include "ridgewatt/sweep/provenance.h"

namespace ridgewatt::study {

struct StudyRunOptions {
  std::uint64_t seed = 1;      // seed of the plan and of the log
  std::int64_t max_runs = -1;  // Limit for this call. Negative: no limit.
  // Called before each run of the plan, including finished runs, with the index of the run from 0.
  std::function<void(std::size_t, const StudyRun&)> progress = {};
};

// Requires a prepared `bench`. Restores the original mode of the board at the end. Returns the
// content of the log. Throws the errors of CommandBench::run().
std::vector<StudyResult> run_study(const Study& study, CommandBench& bench, StudyLog& log,
                                   const StudyRunOptions& options);

// Results of a study with their origin.
struct StudyOutcome {
  std::vector<StudyResult> results = {};  // one per run
  Provenance provenance = Provenance::kMeasured;
  std::string where = {};     // board or sweep
  std::string workload = {};  // empty: the program of the study
  std::string kind = {};
  std::string board = {};   // empty: not recorded
  std::size_t planned = 0;  // runs of the whole study; 0: a sweep
  std::vector<std::string> remarks = {};
};
// Returns the number of completed runs, and how to continue: "2 of 4 runs; repeat the command to
// continue". `file` as in conduct_study().
std::string runs_text(std::size_t done, std::size_t planned, const std::string& file);
// Executes the remaining runs with a prepared `bench` on the board `device`. `file` stores finished
// runs; empty: they are not stored. If the study varies the batch, results per minibatch become
// results per sample (use_samples()).
StudyOutcome conduct_study(Study& study, CommandBench& bench, const std::string& device,
                           const std::string& file, const StudyRunOptions& options);
// Takes the results from the trusted rows of a sweep file. `workload` selects one of several
// sweeps. Changes the study as replay_study() does.
StudyOutcome outcome_of_sweep(Study& study, const std::string& path, const std::string& workload);

}  // namespace ridgewatt::study
