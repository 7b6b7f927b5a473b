// Runs what is left of a study's plan: an interrupted study goes on where it stopped.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "ridgewatt/study/study_bench.h"
#include "ridgewatt/study/study_log.h"

namespace ridgewatt::study {

struct StudyRunOptions {
  std::uint64_t seed = 1;      // of the plan, and of the log
  std::int64_t max_runs = -1;  // of this call; negative: all
  // Called before each run of the plan, finished ones too, with its number from 0.
  std::function<void(std::size_t, const StudyRun&)> progress = {};
};

// The bench is prepared; the board's first mode comes back at the end. Returns what the log then
// holds. Throws what CommandBench::run throws.
std::vector<StudyResult> run_study(const Study& study, CommandBench& bench, StudyLog& log,
                                   const StudyRunOptions& options);

}  // namespace ridgewatt::study
