#include "ridgewatt/answer/layers/model_join.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "ridgewatt/answer/layers/engine_work.h"
#include "ridgewatt/answer/layers/layer_names.h"
#include "ridgewatt/base/plural.h"
#include "ridgewatt/workload/cost_table.h"

namespace ridgewatt::answer {
namespace {

constexpr std::size_t kMostNamed = 8;  // chosen: names in one sentence

bool same_count(double a, double b) {
  return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMostNamed); ++i) {
    text += (i > 0 ? ", " : "") + names[i];
  }
  if (names.size() > kMostNamed) text += fmt::format(" and {} more", names.size() - kMostNamed);
  return text;
}

// Multiply-accumulates of one call, as the engine states them. 0: none, or not stated.
double engine_macs(const JoinedLayer& layer) {
  if (layer.engine == nullptr) return 0;
  const auto work = engine_work(*layer.engine);
  return work ? work->macs : 0;
}

}  // namespace

ModelJoin::ModelJoin(const std::string& model, std::optional<std::int64_t> batch,
                     const std::map<std::string, std::int64_t>& dims,
                     std::optional<Runtime> runtime)
    : model_(workload::load_workload(model)) {
  analysis_ = workload::analyze(model_, {.batch = batch, .dims = dims, .runtime = runtime});
  const auto& steps = analysis_.plan.steps;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    by_node_.emplace(steps[i].node->name, i);
    for (const auto output : steps[i].node->outputs) {
      if (output == workload::kNoTensor) continue;
      by_output_.emplace(analysis_.plan.tensor(output).name, i);
    }
  }
  kernel_of_.assign(steps.size(), -1);
  const auto& kernels = analysis_.workload.kernels;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    for (const auto step : kernels[k].steps) kernel_of_[step] = static_cast<int>(k);
  }
}

std::optional<std::int64_t> ModelJoin::engine_batch(const trace::EngineLayers& engine) {
  for (const auto& layer : engine.layers) {
    for (const auto& input : layer.inputs) {
      if (input.dims.size() < 2) continue;
      return input.dims[0] > 0 ? std::optional(input.dims[0]) : std::nullopt;
    }
  }
  return std::nullopt;
}

std::optional<std::size_t> ModelJoin::step_named(const std::string& name) const {
  if (const auto found = by_node_.find(name); found != by_node_.end()) return found->second;
  // TensorRT's name for a node without a name.
  constexpr std::string_view kOfOutput = "node_of_";
  if (!name.starts_with(kOfOutput)) return std::nullopt;
  const auto found = by_output_.find(name.substr(kOfOutput.size()));
  return found == by_output_.end() ? std::nullopt : std::optional(found->second);
}

ModelJoin::Matching ModelJoin::by_name(const std::vector<JoinedLayer>& layers) const {
  Matching matching;
  std::set<std::string> stored;
  for (const auto id : model_.graph.initializers) stored.insert(analysis_.plan.tensor(id).name);
  for (const auto& layer : layers) {
    Steps& steps = matching.steps.emplace_back();
    LayerNames names = parse_layer_name(layer.measured->name);
    if (layer.engine != nullptr) {
      auto stated = parse_layer_metadata(layer.engine->metadata);
      if (!stated.empty() && names.copy_of.empty())
        names.nodes = std::move(stated), names.ranges = {};
    }
    const auto unknown = [&](const std::string& name) { matching.unknown.push_back(name); };
    for (const auto& name : names.nodes) {
      const auto step = step_named(name);
      if (step) {
        steps.push_back(*step);
      } else if (!stored.contains(name)) {
        unknown(name);
      }
    }
    for (const auto& [from, to] : names.ranges) {
      const auto first = step_named(from), last = step_named(to);
      if (!first) unknown(from);
      if (!last) unknown(to);
      if (!first || !last) continue;
      for (std::size_t i = std::min(*first, *last); i <= std::max(*first, *last); ++i) {
        steps.push_back(i);
      }
    }
    std::sort(steps.begin(), steps.end());
    steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  }
  judge(layers, matching);
  return matching;
}

void ModelJoin::take_kernel(std::size_t step, Steps& steps, std::vector<bool>& used) const {
  const int kernel = kernel_of_[step];
  if (kernel < 0) return;
  for (const auto other : analysis_.workload.kernels[static_cast<std::size_t>(kernel)].steps) {
    if (used[other]) continue;
    used[other] = true;
    steps.push_back(other);
  }
}

void ModelJoin::match_contractions(const std::vector<JoinedLayer>& layers, Matching& matching,
                                   std::vector<bool>& used) const {
  const auto& nodes = analysis_.nodes;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const double macs = engine_macs(layers[l]);
    if (macs == 0) continue;
    const auto outputs = output_elements(*layers[l].engine);
    double calls = layers[l].calls;
    for (std::size_t i = 0; i < nodes.size() && calls > 0.5; ++i) {
      const auto& step = analysis_.plan.steps[i];
      if (used[i] || !same_count(nodes[i].macs, macs) || step.node->outputs.empty()) continue;
      const auto elements = analysis_.plan.tensor(step.node->outputs[0]).element_count();
      if (outputs && elements && !same_count(static_cast<double>(*elements), *outputs)) continue;
      take_kernel(i, matching.steps[l], used);
      if (!used[i]) used[i] = true, matching.steps[l].push_back(i);
      calls -= 1;
    }
  }
}

void ModelJoin::match_others(const std::vector<JoinedLayer>& layers, Matching& matching,
                             std::vector<bool>& used) const {
  const auto& kernels = analysis_.workload.kernels;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const auto* engine = layers[l].engine;
    if (engine == nullptr || engine_macs(layers[l]) > 0) continue;
    const auto op_class = engine_class(*engine);
    const auto outputs = output_elements(*engine);
    if (!op_class || !outputs || engine_kind(*engine) != LayerKind::kWork) continue;
    for (const auto& kernel : kernels) {
      if (kernel.steps.empty() || used[kernel.steps[0]] || kernel.macs > 0) continue;
      // TensorRT treats a mean over all positions as pooling; some exporters write it as a
      // reduction.
      const bool alike =
          kernel.op_class == *op_class || (*op_class == workload::OpClass::kPooling &&
                                           kernel.op_class == workload::OpClass::kReduction);
      if (!alike || !same_count(kernel.output_elements, *outputs)) continue;
      take_kernel(kernel.steps[0], matching.steps[l], used);
      break;
    }
  }
}

ModelJoin::Matching ModelJoin::by_order(const std::vector<JoinedLayer>& layers) const {
  Matching matching;
  matching.steps.resize(layers.size());
  std::vector<bool> used(analysis_.plan.steps.size(), false);
  match_contractions(layers, matching, used);
  match_others(layers, matching, used);
  judge(layers, matching);
  return matching;
}

std::optional<std::size_t> ModelJoin::step_of_node(std::string name) const {
  const auto known = [&](const std::string& text) -> std::optional<std::size_t> {
    if (const auto at = by_node_.find(text); at != by_node_.end() && !text.empty())
      return at->second;
    if (const auto at = by_output_.find(text); at != by_output_.end()) return at->second;
    return std::nullopt;
  };
  // The optimizer adds words to names: "fused X", "X_nchwc", "X_token_12", "X/MatMulAddFusion/".
  constexpr std::string_view kFused = "fused ";
  if (name.starts_with(kFused)) name.erase(0, kFused.size());
  while (!name.empty()) {
    if (const auto step = known(name)) return step;
    if (name.back() == '/') {
      name.pop_back();
      continue;
    }
    const auto cut = name.find_last_of("_/");
    if (cut == std::string::npos) break;
    name.resize(cut);
  }
  return std::nullopt;
}

std::optional<std::size_t> ModelJoin::open_step_like(const trace::TracedLayer& node,
                                                     const std::vector<bool>& used) const {
  double elements = 1;
  for (const auto extent : node.output_extents) elements *= static_cast<double>(extent);
  const auto* rule = workload::find_cost_rule("", node.op);
  if (rule == nullptr) rule = workload::find_cost_rule("com.microsoft", node.op);
  for (const auto& kernel : analysis_.workload.kernels) {
    if (kernel.steps.empty() || used[kernel.steps[0]]) continue;
    if (!same_count(kernel.output_elements, elements)) continue;
    if (kernel.op == node.op || (rule != nullptr && rule->op_class == kernel.op_class)) {
      return kernel.steps[0];
    }
  }
  return std::nullopt;
}

ModelJoin::Matching ModelJoin::by_runtime_node(const std::vector<JoinedLayer>& layers) const {
  Matching matching;
  matching.steps.resize(layers.size());
  std::vector<bool> used(analysis_.plan.steps.size(), false);
  const auto take = [&](std::size_t layer, std::optional<std::size_t> step) {
    if (!step || used[*step]) return;
    Steps& steps = matching.steps[layer];
    take_kernel(*step, steps, used);
    if (!used[*step]) used[*step] = true, steps.push_back(*step);
    std::sort(steps.begin(), steps.end());
  };
  const auto is_work = [&](std::size_t l) { return layers[l].measured->kind == LayerKind::kWork; };
  for (std::size_t l = 0; l < layers.size(); ++l) {
    if (is_work(l)) take(l, step_of_node(layers[l].node->name));
  }
  for (std::size_t l = 0; l < layers.size(); ++l) {
    if (is_work(l) && matching.steps[l].empty()) take(l, open_step_like(*layers[l].node, used));
  }
  return matching;
}

void ModelJoin::say_joined_share(const std::vector<JoinedLayer>& layers, const Matching& matching,
                                 LayersAnswer& answer) const {
  double joined_s = 0, copies_s = 0;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const MeasuredLayer& measured = *layers[l].measured;
    if (!matching.steps[l].empty()) joined_s += measured.time_s;
    if (measured.kind == LayerKind::kReformat) copies_s += measured.time_s;
  }
  constexpr double kPercent = 100;
  answer.remarks.push_back(
      fmt::format("{:.1f} % of the time is in nodes that match nodes of the model, {:.1f} % in "
                  "copies between memory layouts",
                  kPercent * joined_s / answer.time_s, kPercent * copies_s / answer.time_s));
}

void ModelJoin::judge(const std::vector<JoinedLayer>& layers, Matching& matching) const {
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const double stated = engine_macs(layers[l]) * layers[l].calls;
    const double counted = work_of(matching.steps[l]).macs;
    if (stated == 0) {
      // If the engine states no work, a contraction that is found by name counts as agreeing.
      const bool silent = layers[l].engine == nullptr || !engine_work(*layers[l].engine);
      if (silent && counted > 0) ++matching.agreeing;
      continue;
    }
    ++(same_count(stated, counted) ? matching.agreeing : matching.disagreeing);
  }
}

LayerWork ModelJoin::work_of(const Steps& steps) const {
  LayerWork work;
  for (const auto step : steps) {
    const auto& node = analysis_.nodes[step];
    work.macs += node.macs;
    work.work_flop += node.flops + node.int_ops;
  }
  return work;
}

// The traffic of the kernels whose main work is in `steps`.
double ModelJoin::traffic_of(const Steps& steps) const {
  double bytes = 0;
  for (const auto step : steps) {
    if (kernel_of_[step] < 0) continue;
    const auto& kernel = analysis_.workload.kernels[static_cast<std::size_t>(kernel_of_[step])];
    if (kernel.steps[0] == step) bytes += kernel.traffic_bytes();
  }
  return bytes;
}

void ModelJoin::fill(const JoinedLayer& layer, const Steps& steps, LayersAnswer& answer) const {
  MeasuredLayer& measured = *layer.measured;
  measured.onnx_nodes.clear();
  double most_macs = -1;
  for (const auto step : steps) {
    const auto& planned = analysis_.plan.steps[step];
    measured.onnx_nodes.push_back(planned.node->name);
    if (planned.kind != workload::StepKind::kKernel || planned.rule == nullptr) continue;
    if (analysis_.nodes[step].macs <= most_macs) continue;
    most_macs = analysis_.nodes[step].macs;
    const bool stated = layer.engine != nullptr && engine_class(*layer.engine).has_value();
    if (!stated) measured.op_class = planned.rule->op_class;
  }
  if (steps.empty()) return;
  const LayerWork counted = work_of(steps);
  if (!measured.work) {
    measured.work = counted;
  } else if (same_count(measured.work->macs, counted.macs)) {
    measured.work->work_flop = counted.work_flop;
  } else {
    answer.mismatches.push_back(
        fmt::format("layer '{}': {:.0f} MACs by the engine, {:.0f} by the model's nodes {}",
                    measured.name, measured.work->macs, counted.macs, listed(measured.onnx_nodes)));
  }
  if (!measured.traffic_bytes) measured.traffic_bytes = traffic_of(steps);
}

void ModelJoin::list_unmatched(const Matching& matching, LayersAnswer& answer) const {
  std::vector<bool> run(analysis_.nodes.size(), false);
  for (const auto& steps : matching.steps) {
    for (const auto step : steps) run[step] = true;
  }
  std::vector<std::string> left;
  double macs = 0;
  for (std::size_t i = 0; i < run.size(); ++i) {
    if (run[i] || !(analysis_.nodes[i].macs > 0)) continue;
    left.push_back(analysis_.plan.steps[i].node->name);
    macs += analysis_.nodes[i].macs;
  }
  if (left.empty()) return;
  answer.mismatches.push_back(
      fmt::format("{} contractions of the model ({:.0f} MACs) are in no "
                  "layer: {}",
                  left.size(), macs, listed(left)));
}

void ModelJoin::join(std::vector<JoinedLayer>& layers, LayersAnswer& answer) {
  const bool nodes = !layers.empty() && layers.front().node != nullptr;
  Matching matching = nodes ? by_runtime_node(layers) : by_name(layers);
  if (nodes) {
    say_joined_share(layers, matching, answer);
  } else if (matching.disagreeing > 0 || matching.agreeing == 0) {
    Matching other = by_order(layers);
    if (other.agreeing > matching.agreeing) {
      matching = std::move(other);
      answer.remarks.push_back(
          "the engine's layers do not have the names of the model's nodes, so they are matched by "
          "order and shape");
    }
  }
  for (std::size_t l = 0; l < layers.size(); ++l) fill(layers[l], matching.steps[l], answer);
  if (!matching.unknown.empty()) {
    answer.mismatches.push_back(fmt::format("{} in layers without a node of the model: {}",
                                            counted(matching.unknown.size(), "name"),
                                            listed(matching.unknown)));
  }
  for (std::size_t l = 0; l < layers.size(); ++l) {
    if (!matching.steps[l].empty() || engine_macs(layers[l]) == 0) continue;
    answer.mismatches.push_back(
        fmt::format("layer '{}': {:.0f} MACs by the engine, but no matching node of the model",
                    layers[l].measured->name, engine_macs(layers[l])));
  }
  list_unmatched(matching, answer);
}

}  // namespace ridgewatt::answer
