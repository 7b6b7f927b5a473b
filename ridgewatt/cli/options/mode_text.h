// A power mode as a user writes it on the command line.
#pragma once

#include <string>

#include "ridgewatt/platform/mode_control.h"

namespace ridgewatt::cli {

// What to write, for help and errors.
inline constexpr char kModeText[] =
    "a preset, FILE.json (an answer of tune), or cores=4,cpu=1113.6,gpu=612,mem=2133,governor=NAME";

// The mode of an answer of `tune --format json`; for a phase that of `tune llm --phases`, where the
// answer has one of its own ("prefill_mode"). InputError: it holds none.
PowerMode read_answer(const std::string& path, const std::string& phase = "");
// Sets a mode written as kModeText says. Throws what the control throws, and UsageError.
void apply_mode(platform::JetsonModeControl& control, const std::string& text);

}  // namespace ridgewatt::cli
