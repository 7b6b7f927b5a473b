// The walk over the nodes. Inside the room only; users call infer() of infer.h.
#pragma once

#include <cstddef>

#include "ridgewatt/workload/infer.h"

namespace ridgewatt {

class Interpreter {
 public:
  // Steps: node visits, bodies of loops again for every iteration that is looked at.
  Interpreter(Model& model, InferSummary& summary, std::int64_t exported_batch, std::int64_t batch)
      : model_(model), summary_(summary), exported_batch_(exported_batch), batch_(batch) {}

  // Infers every node of `graph`, whose inputs are set. Throws InputError.
  void run(Graph& graph);

  // The batch that constants in the file spell and the one that is asked for; equal unless a
  // model that was exported with a fixed batch is re-batched.
  std::int64_t exported_batch() const { return exported_batch_; }
  std::int64_t batch() const { return batch_; }

 private:
  void run_node(Node& node);
  void run_rule(Node& node);
  void use_declared_types(Node& node);
  void mark_constants(const Node& node);

  Model& model_;
  InferSummary& summary_;
  std::int64_t exported_batch_;
  std::int64_t batch_;
  std::size_t steps_ = 0;
};

}  // namespace ridgewatt
