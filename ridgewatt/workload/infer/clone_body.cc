#include "ridgewatt/workload/infer/clone_body.h"

#include <unordered_map>
#include <utility>

#include "ridgewatt/workload/infer/generation.h"

namespace ridgewatt::workload {
namespace {

class BodyCloner {
 public:
  BodyCloner(Model& model, const std::string& suffix) : model_(model), suffix_(suffix) {}

  Graph clone(const Graph& body) {
    Graph copy = body;
    for (TensorId& id : copy.inputs) id = renew(id);
    renew_outputs(copy);
    replace_uses(copy);
    return copy;
  }

 private:
  TensorId renew(TensorId id) {
    Tensor tensor = model_.tensors[static_cast<std::size_t>(id)];
    tensor.name += " (" + suffix_ + ")";
    model_.tensors.push_back(std::move(tensor));
    const auto fresh = static_cast<TensorId>(model_.tensors.size() - 1);
    fresh_[id] = fresh;
    return fresh;
  }

  void renew_outputs(Graph& graph) {
    for (Node& node : graph.nodes) {
      node.name += " (" + suffix_ + ")";
      for (TensorId& out : node.outputs) {
        if (out != kNoTensor) out = renew(out);
      }
      for (Graph& inner : node.subgraphs) {
        for (TensorId& id : inner.inputs) id = renew(id);
        renew_outputs(inner);
      }
    }
  }

  void replace_uses(Graph& graph) {
    const auto replace = [&](TensorId& id) {
      const auto found = fresh_.find(id);
      if (found != fresh_.end()) id = found->second;
    };
    for (TensorId& id : graph.outputs) replace(id);
    for (Node& node : graph.nodes) {
      for (TensorId& in : node.inputs) replace(in);
      for (Graph& inner : node.subgraphs) replace_uses(inner);
    }
  }

  Model& model_;
  const std::string& suffix_;
  std::unordered_map<TensorId, TensorId> fresh_;
};

void separate_in(Model& model, Graph& graph) {
  for (Node& node : graph.nodes) {
    if (generates_text(node) && node.subgraph("decoder") != nullptr &&
        node.subgraph("init_decoder") == nullptr && node.subgraph("encoder") == nullptr) {
      Graph first = clone_body(model, *node.subgraph("decoder"), "prompt");
      node.subgraph_names.emplace_back("init_decoder");
      node.subgraphs.push_back(std::move(first));
    }
    // Skips the bodies of decoders: copies inside copies would double with each level.
    if (generates_text(node)) continue;
    for (Graph& body : node.subgraphs) separate_in(model, body);
  }
}

}  // namespace

Graph clone_body(Model& model, const Graph& body, const std::string& suffix) {
  return BodyCloner(model, suffix).clone(body);
}

void separate_first_decoders(Model& model) {
  separate_in(model, model.graph);
}

}  // namespace ridgewatt::workload
