// How operating points are measured on a board at hand: options of `profile` and of a live `tune`.
#pragma once

#include "ridgewatt/cli/command.h"
#include "ridgewatt/measure/live_profiler.h"

namespace ridgewatt::cli {

// Where the help lists them.
inline constexpr char kMeasuringGroup[] = "Measuring";
// Protocol of one point, and what the mode control holds meanwhile.
void add_profile_options(CLI::App& command, measure::ProfileOptions& options,
                         platform::JetsonModeControl::Options& control);

// --full-fan, --fill-cache and --drop-cache: what is held or done for each run.
void add_condition_options(CLI::App& command, bool& full_fan, measure::CacheOptions& cache);

}  // namespace ridgewatt::cli
