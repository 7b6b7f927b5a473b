// Infers the nodes of a graph in order. Internal to the module; users call infer() (infer.h).
#pragma once

#include <cstddef>

#include "ridgewatt/workload/infer.h"

namespace ridgewatt::workload {

class Interpreter {
 public:
  struct Options {
    std::int64_t exported_batch = 1;  // batch in the constants of the file
    bool trust_file = false;  // if an extent cannot be computed, use the one stated in the file
    bool may_drop_branches = false;  // drop branches of If that contradict the inputs
  };
  // `steps` counts the visited nodes in bodies, over all visited iterations.
  Interpreter(Model& model, InferSummary& summary, const Options& options, std::size_t& steps)
      : model_(model), summary_(summary), options_(options), steps_(steps) {}

  // Infers every node of `graph`, whose inputs must be set. Throws InputError.
  void run(Graph& graph);
  // Like run(), for the body of a node. Throws InputError if bodies are nested too deeply.
  void run_body(Graph& body);
  bool may_follow_loops() const;

  // The batch in the file, and the requested batch. They differ if a model that was exported with a
  // fixed batch is re-batched.
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
