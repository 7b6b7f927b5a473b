// Options of `profile` and of `tune` on a board: how operating points are measured.
#pragma once

#include "ridgewatt/answer/profile.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/measure/live_profiler.h"

namespace ridgewatt::cli {

// Heading of these options in the help.
inline constexpr char kMeasuringGroup[] = "Measuring";
// Adds the measurement protocol of a point, and the settings that are kept during it.
void add_profile_options(CLI::App& command, measure::ProfileOptions& options,
                         platform::JetsonModeControl::Options& control);

// Adds --workload and --kind, the names of the points in the store.
void add_series(const OptionAdder& add, store::Series& series);

// Adds --modes, --sample and --suggest. `whose`: the owner of the modes, for the help ("the
// board's").
void add_mode_wish(CLI::App& command, answer::ModeWish& wish, const std::string& whose);

// Adds --full-fan, --fill-cache and --drop-cache: conditions of each run.
void add_condition_options(CLI::App& command, platform::JetsonModeControl::Options& control,
                           measure::CacheOptions& cache);

// Returns the note for an interrupt while points are profiled.
inline std::string kept_points(const std::string& store) {
  return "finished points are kept in " + store + "; repeat the command to continue";
}

}  // namespace ridgewatt::cli
