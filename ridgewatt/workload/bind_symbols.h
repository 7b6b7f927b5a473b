// Gives the symbolic extents of a model's inputs their values. Inside the room only.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ridgewatt/workload/infer.h"

namespace ridgewatt {

// What to take for extents that nobody gave, other than the batch.
struct Assumptions {
  std::map<std::string, std::int64_t> sizes;
  std::int64_t otherwise = 1;  // kUnknownDim: leave them, and a batch that nobody gave, open
};

// Sets type and shape of the main graph's inputs and fills batch, bound and assumed of `summary`.
// Returns the batch that the file was exported with: equal to summary.batch where the file leaves
// it open. Throws UsageError for an option that fits no input.
std::int64_t bind_inputs(Model& model, const InferOptions& options, const Assumptions& assumptions,
                         InferSummary& summary);

// Names of the open extents that bind_inputs() makes assumptions about.
std::vector<std::string> extents_to_assume(const Model& model, const InferOptions& options);

// Replaces the extents of `shape` whose symbols are bound.
void bind_known_symbols(const std::vector<std::string>& symbols,
                        const std::map<std::string, std::int64_t>& bound, Shape& shape);

}  // namespace ridgewatt
