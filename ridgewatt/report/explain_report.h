// The answer of `explain`: causes as a table, in words and as JSON.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/answer/explain.h"
#include "ridgewatt/report/keys.h"
#include "ridgewatt/report/table.h"

namespace ridgewatt::report {

// A row per cause, most probable first. People do not see those below 1 %.
Table explain_table(const answer::ExplainAnswer& found, bool for_people);
// "resnet50, inference on orin-nano-8gb, 15W, batch 1: measured 45 ms, expected 17.4 ms (..)"
std::string explain_text(const answer::ExplainAnswer& found);
// The contract of `explain --format json`: workload, board, mode, measured_ms, expected_ms, rows.
Json explain_json(const answer::ExplainAnswer& found);
// The keys of a row.
std::vector<KeyMeaning> explain_keys();

}  // namespace ridgewatt::report
