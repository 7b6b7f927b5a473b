// Power modes as values of options.
#pragma once

#include <string>

#include "ridgewatt/platform/mode_control.h"

namespace ridgewatt::cli {

// The accepted texts, for help and errors.
inline constexpr char kModeText[] =
    "a preset, FILE.json (an answer of tune), or cores=4,cpu=1113.6,gpu=612,mem=2133,governor=NAME";

// Returns the mode in an answer of `tune --format json`. With `phase`, returns the mode of that
// phase in an answer of `tune llm --phases` if it has one (such as "prefill_mode"). Throws
// InputError if the file has no mode.
PowerMode read_answer(const std::string& path, const std::string& phase = "");
// Sets the mode described by `text`, in a form of kModeText. Throws UsageError for other text, and
// what the control throws.
void apply_mode(platform::JetsonModeControl& control, const std::string& text);

}  // namespace ridgewatt::cli
