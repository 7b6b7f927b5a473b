// Infers types, shapes and small contents of every tensor of a model. An abstract interpreter binds
// the symbolic extents of the inputs and then visits the graph once in topological order.
//
// Contents are needed because exporters compute shapes inside the graph (Shape, Gather, Concat,
// Reshape ...). Integers up to kMaxConstantInts, a few reals (scales of Resize) and strings are
// evaluated if they are known. Other values remain unknown. Every assumption is reported.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ridgewatt/workload/graph.h"

namespace ridgewatt::workload {

struct InferOptions {
  // Batch size. Absent: as exported, or 1 if the model leaves it open. The batch is the extent with
  // a matching name ("batch", "N"), or else the first axis of the inputs. A model exported with a
  // fixed batch is re-batched: Reshape targets that contain the old batch are adapted.
  std::optional<std::int64_t> batch = {};
  // Symbolic extents by name. An extent without a name is "INPUT.AXIS" ("input.1").
  std::map<std::string, std::int64_t> dims = {};
  // Concrete inputs in the order of Graph::inputs, with their contents. They override `batch` and
  // `dims`.
  std::vector<ValueInfo> inputs = {};
};

struct InferSummary {
  std::int64_t batch = 1;                             // value of the batch extent
  std::map<std::string, std::int64_t> bound;          // every symbolic extent and its value
  std::map<std::string, std::int64_t> bound_by_user;  // the part of `bound` that the user gave
  // The assumed part of `bound`: the default in the model's metadata, or else 1. If shapes
  // contradict each other with 1 (a window does not fit), the first of 16, 64 ... 4096 without a
  // contradiction. If there is none, the extent remains open.
  std::map<std::string, std::int64_t> assumed;
  std::set<std::string> guessed;  // names in `assumed` without a default, except the batch
  // Extents that are neither bound nor assumed.
  std::vector<std::string> open;
  // Decisions that depend on the data, one sentence each.
  std::vector<std::string> remarks;
  // Operators without a rule ("domain.Op" or "Op"), with the number of their nodes.
  std::map<std::string, int> unsupported;
  // Nodes with an output whose type or shape is not completely known.
  std::vector<std::string> unknown_nodes;
};

// Fills in model.tensors and the nodes. Can be called again with other options. Throws UsageError
// for an extent (--dim) or input that the model does not have, and InputError, naming the node, if
// shapes contradict each other.
InferSummary infer(Model& model, const InferOptions& options = {});

}  // namespace ridgewatt::workload
