// Decides whether a change removed the cause that it was meant to remove.
#pragma once

#include <optional>

#include "ridgewatt/answer/explain.h"

namespace ridgewatt::answer {

// `before` and `after` are answers to the same question, before and after the change. If `removed`
// is absent, it is the most probable cause other than kNone. Throws UsageError if `removed` is not
// a row of `before`.
ExplainedChange judge_change(const ExplainAnswer& before, ExplainAnswer after,
                             std::optional<SlowCause> removed);

}  // namespace ridgewatt::answer
