// Which ONNX nodes each layer of an engine runs, and our own count of their work.
//
// By name where names and multiply-accumulates agree. Other exporters number nodes differently:
// then contractions are matched in their order by multiply-accumulates and outputs, what our fusion
// puts into the same kernel follows them, and poolings and the like are matched by their outputs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/answer/layers.h"
#include "ridgewatt/workload/cost_model.h"

namespace ridgewatt::answer {

// A layer to be matched.
struct JoinedLayer {
  MeasuredLayer* measured = nullptr;
  const trace::EngineLayer* engine = nullptr;  // what is stated about it; may be none
  double calls = 1;                            // of that operator
  const trace::TracedLayer* node = nullptr;    // of ONNX Runtime's graph; may be none
};

class ModelJoin {
 public:
  // Throws what load_workload and analyze throw.
  ModelJoin(const std::string& model, std::optional<std::int64_t> batch,
            const std::map<std::string, std::int64_t>& dims, std::optional<Runtime> runtime);
  // The batch that the engine's tensor of one of the model's inputs has; nothing: no such tensor.
  static std::optional<std::int64_t> engine_batch(const trace::EngineLayers& engine);

  // Fills nodes, class, work and traffic of the layers, and the answer's mismatches.
  void join(std::vector<JoinedLayer>& layers, LayersAnswer& answer);
  LayerWork total() const { return {analysis_.macs, analysis_.flops + analysis_.int_ops}; }
  const workload::Analysis& analysis() const { return analysis_; }

 private:
  using Steps = std::vector<std::size_t>;  // of the plan
  struct Matching {
    std::vector<Steps> steps;  // by layer
    std::vector<std::string> unknown;
    std::size_t agreeing = 0;  // contractions whose work is the engine's
    std::size_t disagreeing = 0;
  };
  std::optional<std::size_t> step_named(const std::string& name) const;
  Matching by_name(const std::vector<JoinedLayer>& layers) const;
  // Nodes of ONNX Runtime's graph: by their name, which is that of a node or of its output, else by
  // operator and number of elements, in order. Each gets the whole kernel of its step.
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
  std::map<std::string, std::size_t> by_node_, by_output_;  // steps
  std::vector<int> kernel_of_;                              // by step; -1: none
};

}  // namespace ridgewatt::answer
