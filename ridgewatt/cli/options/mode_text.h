// Power modes as values of options.
#pragma once

#include <string>

#include "ridgewatt/device/mode_text.h"
#include "ridgewatt/platform/mode_control.h"
#include "ridgewatt/report/mode_json.h"

namespace ridgewatt::cli {

// The accepted texts, for help and errors.
inline constexpr char kModeText[] =
    "a preset, FILE.json (an answer of tune), or cores=4,cpu=1113.6,gpu=612,mem=2133,governor=NAME";

// Sets the mode described by `text`, in a form of kModeText. Throws UsageError for other text, and
// what the control throws.
inline void apply_mode(platform::JetsonModeControl& control, const std::string& text) {
  if (text.ends_with(".json")) {
    control.apply(report::mode_of_answer(text));
  } else if (text.find('=') != std::string::npos) {
    control.apply(parse_mode_text(text));
  } else {
    control.apply_preset(text);
  }
}

}  // namespace ridgewatt::cli
