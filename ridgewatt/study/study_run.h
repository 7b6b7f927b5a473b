// Executes the remaining runs of a study's plan. An interrupted study continues where it stopped.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "ridgewatt/study/study_bench.h"
#include "ridgewatt/study/study_log.h"

namespace ridgewatt::study {

struct StudyRunOptions {
  std::uint64_t seed = 1;      // seed of the plan and of the log
  std::int64_t max_runs = -1;  // Limit for this call. Negative: no limit.
  // Called before each run of the plan, including finished runs, with the index of the run from 0.
  std::function<void(std::size_t, const StudyRun&)> progress = {};
};

// Requires a prepared `bench`. Restores the original mode of the board at the end. Returns the
// content of the log. Throws what CommandBench::run() throws.
std::vector<StudyResult> run_study(const Study& study, CommandBench& bench, StudyLog& log,
                                   const StudyRunOptions& options);

}  // namespace ridgewatt::study
