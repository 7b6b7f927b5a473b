#include "ridgewatt/answer/explain/layer_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "ridgewatt/answer/explain/explain_language.h"
#include "ridgewatt/answer/layers/layer_names.h"
#include "ridgewatt/answer/layers/layer_roofs.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/sentence.h"
#include "ridgewatt/base/sort.h"

namespace ridgewatt::answer {
namespace {

// Bits of the multiplied numbers. FP32 and TF32 count as equal, as do FP16 and BF16.
int bits_of(workload::Precision precision) {
  return workload::kPrecisionRows[precision].inference.activations;
}

bool is_contraction(const MeasuredLayer& layer) {
  return layer.kind == LayerKind::kWork &&
         workload::contraction_of(layer.op_class) != workload::Contraction::kNone;
}

bool is_host_copy(const MeasuredLayer& layer) {
  return layer.op == "MemcpyFromHost" || layer.op == "MemcpyToHost";
}

bool is_reformat(const MeasuredLayer& layer) {
  if (layer.kind == LayerKind::kReformat || layer.op == "Cast") return true;
  for (const char* op : {"aten::_to_copy", "aten::to", "aten::copy_", "aten::contiguous"}) {
    if (layer.name == op || layer.name.starts_with(std::string(op) + " (")) return true;
  }
  return false;
}

double kernel_s(const twin::LayerEstimate& kernel, bool on_cpu) {
  return on_cpu ? kernel.time_s : kernel.gpu_s;
}

// Assigns kernels of the intended runtime to layers of the profile. A kernel belongs to the layer
// that contains the first of its nodes. The expected time of copies is divided among all copies of
// the profile in proportion to their measured time.
class LayerExpectations {
 public:
  LayerExpectations(const LayersAnswer& profile, const ExplainCase& of)
      : profile_(profile), of_(of), expected_s_(profile.layers.size()) {
    for (std::size_t i = 0; i < profile.layers.size(); ++i) {
      for (const auto& node : profile.layers[i].onnx_nodes) layer_of_.emplace(node, i);
    }
    const twin::Estimator& estimator = of.model->estimator(of.batch);
    const bool on_cpu = is_on_cpu(of.model->twin().runtime);
    double copies_s = 0;
    for (const twin::LayerEstimate& kernel : estimator.layers(of.mode)) {
      const auto& cost = estimator.cost().kernels[kernel.kernel];
      const double time_s = kernel_s(kernel, on_cpu);
      all_s_ += time_s;
      (cost.op == kCopy ? copies_s : others_s_) += time_s;
      if (cost.op != kCopy) place(parse_layer_name(cost.name).nodes, time_s);
    }
    place_copies(copies_s);
  }
  // Empty: no kernel belongs to the layer.
  std::optional<double> expected_s(std::size_t layer) const { return expected_s_[layer]; }
  double others_s() const { return others_s_; }  // of kernels without a layer
  double all_s() const { return all_s_; }
  // Whether the intended runtime computes all nodes of the layer in kernels of other layers.
  bool is_unfused(std::size_t layer) const {
    const MeasuredLayer& measured = profile_.layers[layer];
    return measured.kind == LayerKind::kWork && !expected_s_[layer] &&
           !measured.onnx_nodes.empty() &&
           std::all_of(measured.onnx_nodes.begin(), measured.onnx_nodes.end(),
                       [&](const auto& node) { return placed_.contains(node); });
  }
  std::optional<LayerFault> fault(std::size_t layer) const;

 private:
  static constexpr std::string_view kCopy = "Reformat";
  void place(const std::vector<std::string>& nodes, double time_s) {
    const auto node = std::find_if(nodes.begin(), nodes.end(),
                                   [&](const auto& one) { return layer_of_.contains(one); });
    if (node == nodes.end()) return;
    std::optional<double>& expected_s = expected_s_[layer_of_.at(*node)];
    expected_s = expected_s.value_or(0) + time_s;
    others_s_ -= time_s;
    placed_.insert(nodes.begin(), nodes.end());
  }
  void place_copies(double time_s) {
    double measured_s = 0;
    for (const auto& layer : profile_.layers) measured_s += is_reformat(layer) ? layer.time_s : 0;
    if (!(measured_s > 0)) {
      others_s_ += time_s;
      return;
    }
    for (std::size_t i = 0; i < expected_s_.size(); ++i) {
      const MeasuredLayer& layer = profile_.layers[i];
      if (is_reformat(layer)) expected_s_[i] = time_s * layer.time_s / measured_s;
    }
  }

  const LayersAnswer& profile_;
  const ExplainCase& of_;
  std::vector<std::optional<double>> expected_s_;
  std::map<std::string, std::size_t> layer_of_;  // by node
  std::set<std::string> placed_;                 // nodes of kernels that belong to a layer
  double others_s_ = 0, all_s_ = 0;
};

std::optional<LayerFault> LayerExpectations::fault(std::size_t at) const {
  const MeasuredLayer& layer = profile_.layers[at];
  const bool on_gpu = !is_on_cpu(of_.model->twin().runtime);
  if (on_gpu && layer.provider == trace::kCpuProvider) return LayerFault::kOnCpu;
  if (is_host_copy(layer)) return LayerFault::kHostCopy;
  if (is_reformat(layer)) return LayerFault::kReformat;
  if (layer.precision_known && is_contraction(layer) &&
      bits_of(layer.precision) > bits_of(of_.cost().precision)) {
    return LayerFault::kPrecision;
  }
  if (is_unfused(at)) return LayerFault::kUnfused;
  return {};
}

// Whether a profile can show this fault.
bool shows(LayerFault fault, const LayersAnswer& profile, const ExplainCase& of) {
  using trace::TraceSource;
  const bool onnxruntime = profile.source == TraceSource::kOnnxRuntime;
  const auto any = [&](auto&& has) {
    return std::any_of(profile.layers.begin(), profile.layers.end(), has);
  };
  switch (fault) {
    case LayerFault::kOnCpu:  // other profiles list only what ran on the GPU
      return onnxruntime && !is_on_cpu(of.model->twin().runtime);
    case LayerFault::kHostCopy:
      return profile.gaps || (onnxruntime && profile.runtime == Runtime::kOnnxRuntime);
    case LayerFault::kReformat:
      return profile.source != TraceSource::kNsight;
    case LayerFault::kPrecision:
      return any([](const auto& layer) { return layer.precision_known && is_contraction(layer); });
    case LayerFault::kUnfused:
      return !is_eager(of.model->twin().runtime) &&
             any([](const auto& layer) { return !layer.onnx_nodes.empty(); });
  }
  return false;
}

void add(FaultyLayers& faulty, const std::string& name, double time_s, double expected_s) {
  ++faulty.count;
  faulty.time_s += time_s;
  faulty.expected_s += expected_s;
  if (time_s <= faulty.longest_s) return;
  faulty.longest_s = time_s;
  faulty.longest = name;
}

void add_to(ExplainedLayer& sum, const ExplainedLayer& one) {
  sum.time_s += one.time_s;
  sum.expected_s += one.expected_s;
}

std::string words(std::size_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace

std::optional<LayersAnswer> profiled_layers(const ExplainQuestion& question,
                                            const workload::DeployedWorkload& workload) {
  if (question.profile.empty()) return {};
  LayersQuestion asked{.profile = question.profile,
                       .layers = question.layers,
                       .model = workload.name(),
                       .dims = workload.options().dims,
                       .runs = question.runs,
                       .all_providers = true};
  if (question.batch) asked.batch = *question.batch;
  LayersAnswer found = measured_layers(asked);
  if (!(profiled_s(found) > 0)) {
    throw InputError("the layers of the profile take no time", question.profile,
                     "record a profile of a run");
  }
  const Board board = load_board(question.device);
  const bool fixed = explained_mode(board, question.mode).governor.empty();
  const bool known = !found.runtime || is_on_cpu(*found.runtime) != board.has_gpu();
  asked.device = question.device;
  asked.mode = question.mode;
  if (fixed && known) add_roofs(asked, found);
  return found;
}

double profiled_s(const LayersAnswer& profile) {
  return profile.run_s.value_or(profile.time_s);
}

ProfiledLayers layer_faults(const LayersAnswer& profile, const ExplainCase& of) {
  ProfiledLayers found{.source = std::string(name_of(profile.source)),
                       .runtime = profile.runtime,
                       .run_s = profile.run_s,
                       .on_host = profile.runtime == Runtime::kOnnxRuntime,
                       .on_device = profile.source != trace::TraceSource::kOnnxRuntime,
                       .count = profile.layers.size(),
                       .layers_s = profile.time_s};
  for (const auto& [fault, name] : enum_names(LayerFault{})) {
    if (shows(fault, profile, of)) found.faults[fault].emplace();
  }
  const LayerExpectations expected(profile, of);
  for (std::size_t i = 0; i < profile.layers.size(); ++i) {
    const MeasuredLayer& layer = profile.layers[i];
    const auto fault = expected.fault(i);
    if (!fault || !found.faults[*fault]) continue;
    add(*found.faults[*fault], layer.name, layer.time_s, expected.expected_s(i).value_or(0));
  }
  if (profile.gaps && profile.gaps->copy_s > 0) {
    add(*found.faults[LayerFault::kHostCopy], "copies", profile.gaps->copy_s / profile.runs, 0);
  }
  return found;
}

void add_layer_rows(const LayersAnswer& profile, const ExplainCase& of, const ExplainedFigure& time,
                    ProfiledLayers& found) {
  constexpr std::size_t kMostRows = 10;                             // chosen
  const double scale = time.expected / of.expected.total.period_s;  // scales to a claimed time
  const LayerExpectations expected(profile, of);
  std::vector<ExplainedLayer> rows;
  ExplainedLayer others{.name = "", .expected_s = scale * expected.others_s()};
  std::size_t other_count = 0;
  double unknown_s = 0;
  for (std::size_t i = 0; i < profile.layers.size(); ++i) {
    const MeasuredLayer& layer = profile.layers[i];
    ExplainedLayer row{.name = layer.name,
                       .kind = layer.kind_text(),
                       .fault = expected.fault(i),
                       .time_s = layer.time_s,
                       .expected_s = scale * expected.expected_s(i).value_or(0)};
    if (layer.roof) row.roof_s = layer.roof->ceiling_s;
    const bool on_gpu_by_host = found.on_host && layer.provider != trace::kCpuProvider;
    const bool known = expected.expected_s(i) || row.fault;
    if (!known) unknown_s += layer.time_s;
    if (known && !on_gpu_by_host && row.over_s() > 0) {
      rows.push_back(std::move(row));
    } else {
      add_to(others, row);
      ++other_count;
    }
  }
  sort_stably(rows, [](const auto& a, const auto& b) { return a.over_s() > b.over_s(); });
  for (std::size_t i = kMostRows; i < rows.size(); ++i, ++other_count) add_to(others, rows[i]);
  if (rows.size() > kMostRows) rows.resize(kMostRows);
  others.name = other_count == 0 ? "not in the profile"
                                 : words(other_count, rows.empty() ? "layer" : "other layer");
  rows.push_back(std::move(others));
  rows.push_back({.name = "outside of layers",
                  .time_s = time.measured - profile.time_s,
                  .expected_s = time.expected - scale * expected.all_s()});
  found.rows = std::move(rows);
  constexpr double kMuch = 0.1;  // chosen: share of the time of all layers
  if (unknown_s > kMuch * profile.time_s) {
    found.remarks.push_back(
        fmt::format("{:.0f} % of the time of the layers is in layers that match no kernel of the "
                    "model, so their expected time is not known",
                    100 * unknown_s / profile.time_s));
  }
  if (time.measured < profile.time_s) {
    found.remarks.push_back(sentence(
        "the layers of the profile add up to {:.3g} ms, which is more than the measured time: "
        "timing of single layers prevents overlap, or the profile is from another run",
        1e3 * profile.time_s));
  }
  if (found.on_host) {
    found.remarks.push_back(
        "the profile states times of the host for nodes on the GPU, but the host does not wait for "
        "these nodes; record the GPU with nsys or trtexec");
  }
}

}  // namespace ridgewatt::answer
