// Assigns values to the symbolic extents of a model's inputs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/workload/infer.h"

namespace ridgewatt::workload {

// Values for extents that were not given, other than the batch.
struct Assumptions {
  std::map<std::string, std::int64_t> sizes;
  std::int64_t otherwise = 1;  // kUnknownDim: leave them, and a batch that was not given, open
  // Past and new tokens make up the total (see extent_names.h).
  bool relate_lengths = true;
  // Of a first axis that is open and unnamed, and therefore taken as the batch; 0: the batch.
  std::int64_t leading = 0;
};

// Sets type and shape of the main graph's inputs and fills batch, bound and assumed of `summary`.
// Returns the batch that the file was exported with: equal to summary.batch if the file leaves it
// open. Throws UsageError for an option that matches no input.
std::int64_t bind_inputs(Model& model, const InferOptions& options, const Assumptions& assumptions,
                         InferSummary& summary);

// The batch that the file fixes; empty if the file leaves the batch open.
std::optional<std::int64_t> fixed_batch(const Model& model);

// Names of the open extents that bind_inputs() makes assumptions about.
std::vector<std::string> extents_to_assume(const Model& model, const InferOptions& options);

// Whether the extent taken as the batch for lack of a name was not given.
bool has_unnamed_batch(const Model& model, const InferOptions& options);

// Names of all open extents that were not given and do not follow from others.
std::vector<std::string> extents_not_given(const Model& model, const InferOptions& options);

// Symbols of the inputs of all bodies that are not symbols of the main graph.
std::vector<std::string> symbols_of_bodies(const Model& model);

// Replaces the extents of `shape` whose symbols are bound, or are sums of such.
void bind_known_symbols(const std::vector<std::string>& symbols,
                        const std::map<std::string, std::int64_t>& bound, Shape& shape);

}  // namespace ridgewatt::workload
