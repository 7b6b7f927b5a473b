// Whether a change that was to remove a cause did.
#pragma once

#include <optional>

#include "ridgewatt/answer/explain.h"

namespace ridgewatt::answer {

// `before` and `after` are answers about the same question, around the change. UsageError for a
// cause that was not possible; without one, the most probable one that is not kNone.
ExplainedChange judge_change(const ExplainAnswer& before, ExplainAnswer after,
                             std::optional<SlowCause> removed);

}  // namespace ridgewatt::answer
