// Types, shapes and small contents of every tensor of a model: an abstract interpreter that binds
// the symbolic extents of the inputs and then walks the graph once in topological order.
//
// Contents matter because exporters compute shapes inside the graph (Shape, Gather, Concat,
// Reshape ...): integers up to kMaxConstantInts, a few reals (scales of Resize) and strings are
// evaluated as far as they are known. What cannot be known before the model runs stays unknown;
// nothing is guessed silently.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/workload/graph.h"

namespace ridgewatt::workload {

struct InferOptions {
  // Batch size; if unset: as exported, or 1 where the model leaves it open. The batch is the
  // extent named like one ("batch", "N"), else the first axis of the inputs. A model exported with
  // a fixed batch is re-batched: targets of Reshape that spell the old batch follow.
  std::optional<std::int64_t> batch;
  // Symbolic extents by name; an extent without a name is "INPUT.AXIS" ("input.1").
  std::map<std::string, std::int64_t> dims;
  // Concrete inputs in the order of Graph::inputs, with their contents; they win over the above.
  std::vector<ValueInfo> inputs;
};

struct InferSummary {
  std::int64_t batch = 1;                             // what the batch extent was bound to
  std::map<std::string, std::int64_t> bound;          // every symbolic extent and its value
  std::map<std::string, std::int64_t> bound_by_user;  // those among them that were given
  // Those among them that nobody gave: what the model's metadata proposes, else 1, or, where the
  // model contradicts itself with 1 (a window that does not fit), the first size of 16, 64 ... 4096
  // that works. Extents for which none does stay open.
  std::map<std::string, std::int64_t> assumed;
  // Those that stayed open: neither bound nor assumed.
  std::vector<std::string> open;
  // What was decided where the model leaves it to its data: a sentence each.
  std::vector<std::string> remarks;
  // Operators without a rule, "domain.Op" or "Op", and how many nodes are of each.
  std::map<std::string, int> unsupported;
  // Nodes with an output whose type or shape is not fully known.
  std::vector<std::string> unknown_nodes;
};

// Annotates model.tensors and the nodes in place. May be called again with other options.
// Throws UsageError for a --dim or input that the model does not have, and InputError where
// shapes contradict each other, naming the node.
InferSummary infer(Model& model, const InferOptions& options = {});

}  // namespace ridgewatt::workload
