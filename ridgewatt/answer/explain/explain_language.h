// Explains a measured speed of a language model like explain(), from the forecast of its engine.
#pragma once

#include <string>

#include "ridgewatt/answer/explain.h"
#include "ridgewatt/device/board.h"

namespace ridgewatt::answer {

ExplainAnswer explain_language(const ExplainQuestion& question);

// Returns the mode with this name. Throws UsageError if the name means several modes.
PowerMode explained_mode(const Board& board, const std::string& name);
// Adds ExplainQuestion::seen_mode to what was seen.
ExplainQuestion with_seen_mode(ExplainQuestion question);

}  // namespace ridgewatt::answer
