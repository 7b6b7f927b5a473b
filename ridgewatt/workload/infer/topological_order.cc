#include "ridgewatt/workload/infer/topological_order.h"

#include <algorithm>
#include <functional>
#include <unordered_map>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"

namespace ridgewatt::workload {
namespace {

// Calls use(tensor) for every tensor that the node or its bodies read.
template <typename Use>
void for_each_use(const Node& node, Use use) {
  for (const TensorId input : node.inputs) {
    if (input != kNoTensor) use(input);
  }
  for (const Graph& body : node.subgraphs) {
    for (const Node& inner : body.nodes) for_each_use(inner, use);
    for (const TensorId output : body.outputs) use(output);
  }
}

using Producers = std::unordered_map<TensorId, std::size_t>;

bool is_sorted(const Graph& graph, const Producers& producers) {
  bool sorted = true;
  for (std::size_t i = 0; i < graph.nodes.size() && sorted; ++i) {
    for_each_use(graph.nodes[i], [&](TensorId tensor) {
      const auto producer = producers.find(tensor);
      if (producer != producers.end() && producer->second >= i) sorted = false;
    });
  }
  return sorted;
}

}  // namespace

void sort_topologically(Graph& graph) {
  Producers producers;
  producers.reserve(graph.nodes.size() * 2);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const TensorId output : graph.nodes[i].outputs) {
      if (output != kNoTensor) producers.emplace(output, i);
    }
  }
  if (is_sorted(graph, producers)) return;

  // Kahn's algorithm (1962). Of the nodes that are ready, takes the earliest in file order.
  std::vector<std::vector<std::size_t>> users(graph.nodes.size());
  std::vector<std::size_t> waiting_for(graph.nodes.size(), 0);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    for_each_use(graph.nodes[i], [&](TensorId tensor) {
      const auto producer = producers.find(tensor);
      if (producer == producers.end()) return;
      users[producer->second].push_back(i);
      ++waiting_for[i];
    });
  }
  std::vector<std::size_t> ready;  // a heap, smallest index on top
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (waiting_for[i] == 0) ready.push_back(i);
  }
  std::vector<Node> sorted;
  sorted.reserve(graph.nodes.size());
  std::make_heap(ready.begin(), ready.end(), std::greater<>());
  while (!ready.empty()) {
    std::pop_heap(ready.begin(), ready.end(), std::greater<>());
    const std::size_t next = ready.back();
    ready.pop_back();
    sorted.push_back(std::move(graph.nodes[next]));
    for (const std::size_t user : users[next]) {
      if (--waiting_for[user] > 0) continue;
      ready.push_back(user);
      std::push_heap(ready.begin(), ready.end(), std::greater<>());
    }
  }
  if (sorted.size() < graph.nodes.size()) {
    const auto stuck = std::find_if(waiting_for.begin(), waiting_for.end(),
                                    [](std::size_t count) { return count > 0; });
    const auto index = static_cast<std::size_t>(stuck - waiting_for.begin());
    throw InputError("the graph of the model has a cycle",
                     "node '" + escape_terminal(graph.nodes[index].name) + "'");
  }
  graph.nodes = std::move(sorted);
}

}  // namespace ridgewatt::workload
