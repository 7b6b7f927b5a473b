// Assigns values to the symbolic extents of a model's inputs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/workload/infer.h"

namespace ridgewatt::workload {

// Assumed values of the extents that were not given, except for the batch.
struct Assumptions {
  // Values by name.
  std::map<std::string, std::int64_t> sizes;
  // Value of all other extents. kUnknownDim: they remain open, as does a batch that was not given.
  std::int64_t otherwise = 1;
  // Whether the total length is the sum of past and new tokens (see extent_names.h).
  bool relate_lengths = true;
  // Value of an open, unnamed first axis. 0: this axis is the batch.
  std::int64_t leading = 0;
};

// Sets type and shape of the main graph's inputs and fills in batch, bound and assumed of
// `summary`. Returns the batch with which the file was exported, or summary.batch if the file
// leaves it open or has no batch. Throws UsageError for an option that matches no input, and for a
// batch above 1 if the model has no batch.
std::int64_t bind_inputs(Model& model, const InferOptions& options, const Assumptions& assumptions,
                         InferSummary& summary);

// True if the batch is an open extent.
bool leaves_batch_open(const Model& model);

// Returns the batch that the file fixes. Empty if the file leaves it open, or if no axis of the
// inputs is the batch.
std::optional<std::int64_t> fixed_batch(const Model& model);

// Returns the names of the open extents for which bind_inputs() needs assumptions.
std::vector<std::string> extents_to_assume(const Model& model, const InferOptions& options);

// True if an unnamed extent counts as the batch and no value is given for this extent.
bool has_unnamed_batch(const Model& model, const InferOptions& options);

// Returns the names of all open extents that were not given and do not follow from other extents.
std::vector<std::string> extents_not_given(const Model& model, const InferOptions& options);

// Returns the symbols in the inputs of all bodies that are not symbols of the main graph.
std::vector<std::string> symbols_of_bodies(const Model& model);

// Replaces extents of `shape` whose symbols are bound, or are sums of bound symbols.
void bind_known_symbols(const std::vector<std::string>& symbols,
                        const std::map<std::string, std::int64_t>& bound, Shape& shape);

}  // namespace ridgewatt::workload
