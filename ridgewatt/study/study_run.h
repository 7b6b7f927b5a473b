// Runs the remaining runs of a study's plan: an interrupted study continues where it stopped.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "ridgewatt/study/study_bench.h"
#include "ridgewatt/study/study_log.h"

namespace ridgewatt::study {

struct StudyRunOptions {
  std::uint64_t seed = 1;      // of the plan and of the log
  std::int64_t max_runs = -1;  // in this call; negative: all
  // Called before each run of the plan, including finished ones, with its number from 0.
  std::function<void(std::size_t, const StudyRun&)> progress = {};
};

// `bench` is prepared; the first mode of the board is restored at the end. Returns the content of
// the log. Throws what CommandBench::run throws.
std::vector<StudyResult> run_study(const Study& study, CommandBench& bench, StudyLog& log,
                                   const StudyRunOptions& options);

}  // namespace ridgewatt::study
