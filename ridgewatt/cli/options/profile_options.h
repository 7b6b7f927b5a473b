// How operating points are measured on a real or fake board: options of `profile` and of a live
// `tune`.
#pragma once

#include "ridgewatt/answer/profile.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/measure/live_profiler.h"

namespace ridgewatt::cli {

// Where the help lists them.
inline constexpr char kMeasuringGroup[] = "Measuring";
// Protocol of one point, and what the mode control holds during it.
void add_profile_options(CLI::App& command, measure::ProfileOptions& options,
                         platform::JetsonModeControl::Options& control);

// --workload and --kind: what the points are called.
void add_series(const OptionAdder& add, store::Series& series);

// --modes, --sample and --suggest; `whose`: the owner of the grid, "the board's".
void add_mode_wish(CLI::App& command, answer::ModeWish& wish, const std::string& whose);

// --full-fan, --fill-cache and --drop-cache: what is held or done for each run.
void add_condition_options(CLI::App& command, platform::JetsonModeControl::Options& control,
                           measure::CacheOptions& cache);

}  // namespace ridgewatt::cli
