#include "ridgewatt/trace/onnxruntime/node_profile.h"

#include <fmt/format.h>

#include <array>
#include <unordered_map>

#include "ridgewatt/base/contains.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/plural.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/trace/text/fields.h"
#include "ridgewatt/trace/text/stated_runs.h"

namespace ridgewatt::trace {
namespace {

constexpr std::string_view kTimed = "_kernel_time";
constexpr std::array<std::string_view, 3> kWithBody = {"If", "Loop", "Scan"};

// Reads type and extents of the first output from [{"float": [1, 64, 56, 56]}].
void take_output(const Json& args, TracedLayer& layer) {
  const Json* shapes = find_field(args, "output_type_shape");
  if (shapes == nullptr || !shapes->is_array() || shapes->empty()) return;
  const Json& first = shapes->front();
  if (!first.is_object() || first.empty()) return;
  layer.output_type = first.begin().key();
  layer.output_extents = whole_numbers(&*first.begin());
}

// Reads a size that is written as text.
double bytes_of(const Json& args, std::string_view field) {
  const double bytes = parse_double(text_field(args, field)).value_or(0);
  return bytes > 0 ? bytes : 0;
}

class NodeTimes {
 public:
  NodeTimes(std::string name, const TraceOptions& options)
      : name_(std::move(name)), options_(options) {}

  void add(const Json& event) {
    const std::string what = text_field(event, "name");
    if (what == "model_run") runs_s_.push_back(valid_s(event));
    const Json* args = find_field(event, "args");
    if (text_field(event, "cat") != "Node" || args == nullptr || !what.ends_with(kTimed)) return;
    const std::string op = text_field(*args, "op_name");
    if (contains(kWithBody, op)) return;
    const bool on_cpu = text_field(*args, "provider") == kCpuProvider;
    if (!on_cpu && !options_.all_providers) {
      ++elsewhere_;
      return;
    }
    if (++events_ > kMostEvents) {
      throw InputError("has more than 16 million nodes", name_, "record fewer runs");
    }
    node(what.substr(0, what.size() - kTimed.size()), op, *args).push_back(valid_s(event));
  }

  LayerTrace finish() {
    if (layers_.empty()) {
      throw InputError(
          elsewhere_ > 0 ? "has no node that ran on the CPU execution provider" : "has no nodes",
          name_, "for kernels on a GPU, record with trtexec --exportProfile or nsys");
    }
    LayerTrace trace;
    trace.source = TraceSource::kOnnxRuntime;
    trace.runs = runs_of(options_, static_cast<double>(runs_s_.size()));
    if (!runs_s_.empty()) trace.run_s = median(runs_s_);
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      TracedLayer& layer = layers_[i];
      layer.calls = static_cast<double>(times_s_[i].size()) / trace.runs;
      layer.time_s = median(times_s_[i]) * layer.calls;
      trace.total_s += layer.time_s;
    }
    trace.layers = std::move(layers_);
    if (elsewhere_ > 0) {
      trace.remarks.push_back(fmt::format("left out: {} of other providers than {}",
                                          counted(elsewhere_, "event"), kCpuProvider));
    }
    return trace;
  }

 private:
  double valid_s(const Json& event) const {
    const double us = number_field(event, "dur");
    if (!(us >= 0) || us > 1e18) throw InputError("an event has no valid \"dur\"", name_);
    return us * kUs;
  }
  std::vector<double>& node(const std::string& name, const std::string& op, const Json& args) {
    const std::string key = name + '\n' + text_field(args, "node_index");
    const auto [found, fresh] = index_.emplace(key, layers_.size());
    if (fresh) {
      if (layers_.size() >= kMostLayers) throw InputError("has more than a million nodes", name_);
      TracedLayer layer{.name = name};
      layer.op = op;
      layer.provider = text_field(args, "provider");
      take_output(args, layer);
      layer.moved_bytes = bytes_of(args, "activation_size") + bytes_of(args, "output_size") +
                          bytes_of(args, "parameter_size");
      layers_.push_back(std::move(layer));
      times_s_.emplace_back();
    }
    return times_s_[found->second];
  }

  static constexpr std::size_t kMostEvents = std::size_t{1} << 24;
  static constexpr std::size_t kMostLayers = std::size_t{1} << 20;
  static constexpr double kUs = 1e-6;
  std::string name_;
  TraceOptions options_;
  std::vector<double> runs_s_;
  std::size_t events_ = 0, elsewhere_ = 0;
  std::vector<TracedLayer> layers_;
  std::vector<std::vector<double>> times_s_;  // by layer
  std::unordered_map<std::string, std::size_t> index_;
};

}  // namespace

LayerTrace read_node_profile(ElementReader& reader, const std::string& name,
                             const TraceOptions& options) {
  NodeTimes nodes(name, options);
  reader.for_each("", [&](const Json& event) { nodes.add(event); });
  return nodes.finish();
}

}  // namespace ridgewatt::trace
