// Determines which ONNX nodes each layer of an engine executes, and their work.
//
// If names and multiply-accumulates agree, layers and nodes are matched by name. Otherwise (some
// exporters number nodes differently), contractions are matched in order, by multiply-accumulates
// and outputs. Nodes that our fusion rules put into the same kernel are matched with them. Poolings
// and similar nodes are matched by their outputs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/answer/layers.h"
#include "ridgewatt/workload/cost_model.h"

namespace ridgewatt::answer {

// A layer to match.
struct JoinedLayer {
  MeasuredLayer* measured = nullptr;
  const trace::EngineLayer* engine = nullptr;  // information from the engine; may be null
  double calls = 1;                            // number of calls of the operator per run
  const trace::TracedLayer* node = nullptr;    // node of ONNX Runtime's graph; may be null
};

class ModelJoin {
 public:
  // Throws the errors of workload::load_workload() and workload::analyze().
  ModelJoin(const std::string& model, std::optional<std::int64_t> batch,
            const std::map<std::string, std::int64_t>& dims, std::optional<Runtime> runtime);
  // Returns the batch of the engine's tensor for one of the model's inputs; absent if there is
  // none.
  static std::optional<std::int64_t> engine_batch(const trace::EngineLayers& engine);

  // Sets nodes, class, work and traffic of the layers, and appends to the mismatches of the answer.
  void join(std::vector<JoinedLayer>& layers, LayersAnswer& answer);
  LayerWork total() const { return {analysis_.macs, analysis_.flops + analysis_.int_ops}; }
  const workload::Analysis& analysis() const { return analysis_; }

 private:
  using Steps = std::vector<std::size_t>;  // steps of the execution plan
  struct Matching {
    std::vector<Steps> steps;  // by layer
    std::vector<std::string> unknown;
    std::size_t agreeing = 0;  // number of contractions whose work equals that of the engine
    std::size_t disagreeing = 0;
  };
  std::optional<std::size_t> step_named(const std::string& name) const;
  Matching by_name(const std::vector<JoinedLayer>& layers) const;
  // Matches nodes of ONNX Runtime's graph by name (of a node or its output), or else by operator
  // and number of elements, in order. Each node gets the whole kernel of its step.
  Matching by_runtime_node(const std::vector<JoinedLayer>& layers) const;
  std::optional<std::size_t> step_of_node(std::string name) const;
  std::optional<std::size_t> open_step_like(const trace::TracedLayer& node,
                                            const std::vector<bool>& used) const;
  void say_joined_share(const std::vector<JoinedLayer>& layers, const Matching& matching,
                        LayersAnswer& answer) const;
  Matching by_order(const std::vector<JoinedLayer>& layers) const;
  void match_contractions(const std::vector<JoinedLayer>& layers, Matching& matching,
                          std::vector<bool>& used) const;
  void match_others(const std::vector<JoinedLayer>& layers, Matching& matching,
                    std::vector<bool>& used) const;
  void judge(const std::vector<JoinedLayer>& layers, Matching& matching) const;
  void take_kernel(std::size_t step, Steps& steps, std::vector<bool>& used) const;
  LayerWork work_of(const Steps& steps) const;
  double traffic_of(const Steps& steps) const;
  void fill(const JoinedLayer& layer, const Steps& steps, LayersAnswer& answer) const;
  void list_unmatched(const Matching& matching, LayersAnswer& answer) const;

  workload::Model model_;
  workload::Analysis analysis_;
  std::map<std::string, std::size_t> by_node_, by_output_;  // index of a step
  std::vector<int> kernel_of_;                              // by step; -1: none
};

}  // namespace ridgewatt::answer
