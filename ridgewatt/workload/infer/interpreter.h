// Visits the nodes of a graph. Internal to the module; users call infer() of infer.h.
#pragma once

#include <cstddef>

#include "ridgewatt/workload/infer.h"

namespace ridgewatt::workload {

class Interpreter {
 public:
  struct Options {
    std::int64_t exported_batch = 1;  // the batch in the constants of the file
    bool trust_file = false;          // if an extent cannot be computed, use the stated one
    bool may_drop_branches = false;   // of If, when they contradict the inputs
  };
  // `steps` counts visits of nodes in bodies, for every visited iteration.
  Interpreter(Model& model, InferSummary& summary, const Options& options, std::size_t& steps)
      : model_(model), summary_(summary), options_(options), steps_(steps) {}

  // Infers every node of `graph`, whose inputs are set. Throws InputError.
  void run(Graph& graph);
  // The same for the body of a node; throws InputError if too many bodies are nested.
  void run_body(Graph& body);
  bool may_follow_loops() const;

  // They differ if a model that was exported with a fixed batch is re-batched.
  std::int64_t exported_batch() const { return options_.exported_batch; }
  std::int64_t batch() const { return summary_.batch; }
  bool may_drop_branches() const { return options_.may_drop_branches; }
  bool trusts_file() const { return options_.trust_file; }
  InferSummary& summary() { return summary_; }

 private:
  void run_node(Node& node);
  void run_rule(Node& node);
  void use_declared_types(const Node& node);
  void mark_constants(const Node& node);

  Model& model_;
  InferSummary& summary_;
  Options options_;
  std::size_t& steps_;
};

}  // namespace ridgewatt::workload
