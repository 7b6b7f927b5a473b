// Why a language model is slow: the same weighing, on the forecast of its engine.
#pragma once

#include <string>

#include "ridgewatt/answer/explain.h"
#include "ridgewatt/device/board.h"

namespace ridgewatt::answer {

ExplainAnswer explain_language(const ExplainQuestion& question);

// The mode of that name; UsageError where it names several.
PowerMode explained_mode(const Board& board, const std::string& name);

}  // namespace ridgewatt::answer
