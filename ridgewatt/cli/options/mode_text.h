// Power modes as values of options.
#pragma once

#include <string>

#include "ridgewatt/cli/command.h"
#include "ridgewatt/device/mode_text.h"
#include "ridgewatt/platform/mode_control.h"
#include "ridgewatt/report/mode_json.h"

namespace ridgewatt::cli {

// The accepted texts, for help and errors.
inline constexpr char kModeText[] =
    "a preset, FILE.json (an answer of tune), or cores=4,cpu=1113.6,gpu=612,mem=2133,governor=NAME";

// Whether a non-empty `text` names a preset.
inline bool is_preset_text(const std::string& text) {
  return !text.empty() && !text.ends_with(".json") && text.find('=') == std::string::npos;
}

// Sets the mode described by `text`, in a form of kModeText. Throws UsageError for other text, and
// the errors of `control`.
inline platform::ApplySummary apply_mode(platform::JetsonModeControl& control,
                                         const std::string& text) {
  if (text.ends_with(".json")) return control.apply(report::mode_of_answer(text));
  if (text.find('=') != std::string::npos) return control.apply(parse_mode_text(text));
  return control.apply_preset(text);
}

// Prints a remark for each clock of a mode that was rounded. If `text` is a preset, prints nothing.
inline void remark_on_clocks(const Context& context, const std::string& text,
                             const platform::ApplySummary& summary) {
  if (is_preset_text(text)) return;
  for (const auto& line : rounded_clocks(summary.requested, summary.applied)) remark(context, line);
}

}  // namespace ridgewatt::cli
