// Results of `explain`: the causes as a table, as text and as JSON.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "ridgewatt/answer/explain.h"
#include "ridgewatt/report/field.h"
#include "ridgewatt/report/keys.h"
#include "ridgewatt/report/result.h"

namespace ridgewatt::report {

// A row of an answer. It shares ownership of the answer.
struct ExplainLine {
  std::shared_ptr<const answer::ExplainAnswer> found;
  std::size_t index = 0;
  const answer::ExplainRow& row() const { return found->rows[index]; }
};
const Fields<ExplainLine>& explain_fields();
const Fields<answer::ExplainedLayer>& explained_layer_fields();

// One row per cause, the most probable first. The table omits causes below 1 % and has a line above
// it: "resnet50, inference on orin-nano-8gb, 15W, batch 1: measured 45 ms, expected 17.4 ms (..)".
Result explain_result(const answer::ExplainAnswer& found);
// The documented JSON of `explain`: workload, board, mode, measured_ms, expected_ms, rows.
Json explain_json(const answer::ExplainAnswer& found);

}  // namespace ridgewatt::report
