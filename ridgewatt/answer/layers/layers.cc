#include "ridgewatt/answer/layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <numeric>

#include "ridgewatt/answer/layers/engine_work.h"
#include "ridgewatt/answer/layers/layer_names.h"
#include "ridgewatt/answer/layers/layer_roofs.h"
#include "ridgewatt/answer/layers/model_join.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/plural.h"
#include "ridgewatt/base/sentence.h"
#include "ridgewatt/base/sort.h"
#include "ridgewatt/workload/cost_table.h"

namespace ridgewatt::answer {
namespace {

using trace::EngineLayer;

constexpr double kMuchLonger = 1.05;  // chosen: above the scatter of runs
// Chosen: above the ratios of recorded engines, which are 1.07 to 1.24.
constexpr double kOtherEngine = 1.5;

// The name without characters that writers escape in different ways.
std::string plain_name(const std::string& name) {
  std::string plain;
  for (const char c : name) {
    if (c != '\\' && c != '"' && static_cast<unsigned char>(c) >= 0x20) plain += c;
  }
  return plain;
}

// For each row of the profile, the first unused engine layer of that name, or nullptr.
std::vector<const EngineLayer*> engine_layers_of(const trace::LayerTrace& trace,
                                                 const trace::EngineLayers& engine,
                                                 std::vector<std::string>& mismatches) {
  std::multimap<std::string, const EngineLayer*> open;
  // A multimap keeps equal keys in the order of their insertion.
  for (const auto& layer : engine.layers) open.emplace(plain_name(layer.name), &layer);
  std::vector<const EngineLayer*> found;
  for (const auto& row : trace.layers) {
    const auto at = open.lower_bound(plain_name(row.name));
    const bool match = at != open.end() && at->first == plain_name(row.name);
    found.push_back(match ? at->second : nullptr);
    if (match) {
      open.erase(at);
    } else {
      mismatches.push_back(
          fmt::format("'{}' is in the profile, but is not a layer of the engine", row.name));
    }
  }
  for (const auto& layer : engine.layers) {
    const auto [begin, end] = open.equal_range(plain_name(layer.name));
    const bool left =
        std::any_of(begin, end, [&](const auto& entry) { return entry.second == &layer; });
    if (left)
      mismatches.push_back(fmt::format("'{}' is in the engine, but has no time", layer.name));
  }
  return found;
}

// The class of the operator in an exporter's node name: "Conv_12", "/layer1/layer1.0/conv1/Conv".
std::optional<workload::OpClass> class_by_name(const std::string& node) {
  std::string op = node.substr(node.rfind('/') + 1);
  op = op.substr(0, op.find('_'));
  const auto* rule = workload::find_cost_rule("", op);
  return rule == nullptr ? std::nullopt : std::optional(rule->op_class);
}

bool is_stored_name(const std::string& name) {
  return name.ends_with(".weight") || name.ends_with(".bias");
}

// Describes a node of ONNX Runtime's graph by its operator.
void describe_node(const trace::TracedLayer& row, MeasuredLayer& layer) {
  layer.onnx_nodes.clear();
  const auto* rule = workload::find_cost_rule("", row.op);
  if (rule == nullptr) rule = workload::find_cost_rule("com.microsoft", row.op);
  if (rule != nullptr) layer.op_class = rule->op_class;
  const bool integer = row.op.starts_with("QLinear") ||
                       row.op.find("Integer") != std::string::npos || row.op == "QGemm" ||
                       row.op == "DynamicQuantizeMatMul";
  if (integer) layer.precision = workload::Precision::kInt8;
  if (row.output_type == "float16") layer.precision = workload::Precision::kFp16;
  layer.precision_known = integer || row.output_type.starts_with("float");
  if (row.op != "ReorderInput" && row.op != "ReorderOutput") return;
  layer.kind = LayerKind::kReformat;
  layer.traffic_bytes = row.moved_bytes;
}

// A layer as far as it is known without the model.
MeasuredLayer measured_layer(const trace::TracedLayer& row, const EngineLayer* engine,
                             double calls) {
  MeasuredLayer layer{.name = row.name,
                      .time_s = row.time_s,
                      .op = row.op,
                      .provider = row.provider,
                      .kernels = row.kernels,
                      .launch_s = row.launch_s,
                      .idle_s = row.gap_s};
  LayerNames names = parse_layer_name(row.name);
  layer.copy_of = names.copy_of;
  layer.onnx_nodes = std::move(names.nodes);
  for (const auto& [from, to] : names.ranges) {
    layer.onnx_nodes.push_back(from);
    layer.onnx_nodes.push_back(to);
  }
  std::erase_if(layer.onnx_nodes, is_stored_name);
  if (!layer.copy_of.empty()) layer.kind = LayerKind::kReformat;
  if (!row.op.empty()) {
    describe_node(row, layer);
    return layer;
  }
  for (auto node = layer.onnx_nodes.rbegin(); node != layer.onnx_nodes.rend(); ++node) {
    layer.op_class = class_by_name(*node).value_or(layer.op_class);
  }
  if (engine == nullptr || engine->layer_type.empty()) return layer;
  if (auto stated = parse_layer_metadata(engine->metadata);
      !stated.empty() && layer.copy_of.empty()) {
    layer.onnx_nodes = std::move(stated);
  }
  layer.kind = engine_kind(*engine);
  layer.op_class = engine_class(*engine).value_or(layer.op_class);
  layer.op = engine->layer_type;
  layer.precision = engine_precision(*engine);
  layer.precision_known = !engine->inputs.empty();
  layer.work = engine_work(*engine);
  if (layer.work) layer.work->macs *= calls, layer.work->work_flop *= calls;
  layer.traffic_bytes = engine_traffic_bytes(*engine);
  if (layer.traffic_bytes) *layer.traffic_bytes *= calls;
  return layer;
}

bool on_cpu_provider(const trace::TracedLayer& row) {
  return row.provider == trace::kCpuProvider;
}

std::optional<Runtime> runtime_of(const trace::LayerTrace& trace) {
  const bool on_cpu = std::all_of(trace.layers.begin(), trace.layers.end(), &on_cpu_provider);
  for (const RuntimeRow& row : kRuntimeRows) {
    if (row.recording == name_of(trace.source) && row.on_cpu == on_cpu) return row.id;
  }
  return std::nullopt;
}

void add_totals(LayersAnswer& answer) {
  std::size_t unknown = 0;
  for (const auto& layer : answer.layers) {
    if (layer.work) {
      if (!answer.work) answer.work.emplace();
      answer.work->macs += layer.work->macs;
      answer.work->work_flop += layer.work->work_flop;
    }
    if (layer.traffic_bytes) {
      answer.traffic_bytes = answer.traffic_bytes.value_or(0) + *layer.traffic_bytes;
    }
    if (layer.energy_j) answer.energy_j = answer.energy_j.value_or(0) + *layer.energy_j;
    unknown += layer.kind == LayerKind::kWork && !layer.work;
  }
  if (unknown > 0 && answer.work) {
    answer.remarks.push_back(fmt::format(
        "the work of {} is not known and is missing from the totals", counted(unknown, "layer")));
  }
}

// The batch at which work is counted. If the engine states its batch, the question must not differ.
std::optional<std::int64_t> batch_of(const LayersQuestion& question,
                                     const std::optional<trace::EngineLayers>& engine) {
  const auto own = engine ? ModelJoin::engine_batch(*engine) : std::nullopt;
  if (own && question.batch && *own != *question.batch) {
    throw UsageError(
        fmt::format("--batch differs from the batch of the engine's tensors, which is {}", *own),
        "", "omit --batch");
  }
  return question.batch ? question.batch : own;
}

void add_times(const LayersQuestion& question, LayersAnswer& answer) {
  if (question.times.empty()) return;
  answer.times = trace::read_engine_times(question.times);
  const double compute_s = answer.times->compute_median_s;
  if (answer.time_s > kMuchLonger * compute_s) {
    answer.remarks.push_back(sentence(
        "the layers add up to {:.4g} ms, but a run without profiling takes {:.4g} ms of computing, "
        "{}",
        answer.time_s * 1e3, compute_s * 1e3,
        answer.time_s > kOtherEngine * compute_s
            ? "which is too different for one engine; check whether --times is of the profiled one"
            : "because timing of single layers prevents overlap"));
  }
  if (!answer.times->enqueue_bound()) return;
  answer.remarks.push_back(
      sentence("the run is bound by enqueueing: the CPU needs {:.3g} ms to enqueue a run, the GPU "
               "{:.3g} ms to compute it; use a CUDA graph (trtexec --useCudaGraph) or a larger "
               "batch; faster layers do not help",
               answer.times->enqueue_median_s * 1e3, answer.times->compute_median_s * 1e3));
}

// An answer with the properties that the trace states.
LayersAnswer answer_of(const trace::LayerTrace& trace) {
  LayersAnswer answer;
  answer.source = trace.source;
  answer.runtime = runtime_of(trace);
  answer.recorded_on = trace.device;
  answer.runs = trace.runs;
  answer.time_s = trace.total_s;
  answer.run_s = trace.run_s;
  answer.gaps = trace.gaps;
  answer.remarks = trace.remarks;
  return answer;
}

void join_model(const LayersQuestion& question, std::vector<JoinedLayer>& joined,
                LayersAnswer& answer) {
  if (question.model.empty()) return;
  ModelJoin join(question.model, answer.batch, question.dims, answer.runtime);
  join.join(joined, answer);
  answer.model_work = join.total();
  answer.batch = join.analysis().shapes.batch;
  for (const auto& line : join.analysis().workload.caveats.lines()) {
    answer.remarks.push_back(line);
  }
}

}  // namespace

std::string MeasuredLayer::kind_text() const {
  switch (kind) {
    case LayerKind::kReformat:
      return "reformat";
    case LayerKind::kNothing:
      return "no operation";
    case LayerKind::kWork:
      break;
  }
  return std::string(name_of(op_class));
}

std::optional<double> MeasuredLayer::gap_s() const {
  return roof ? std::optional(time_s - roof->ceiling_s) : std::nullopt;
}

std::vector<std::size_t> LayersAnswer::worth_work(std::size_t count) const {
  std::vector<std::size_t> order(layers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const bool roofs = std::any_of(layers.begin(), layers.end(),
                                 [](const auto& layer) { return layer.roof.has_value(); });
  const auto weight = [&](std::size_t i) {
    return roofs ? layers[i].gap_s().value_or(0) : layers[i].time_s;
  };
  sort_stably(order, [&](std::size_t a, std::size_t b) { return weight(a) > weight(b); });
  std::erase_if(order, [&](std::size_t i) { return !(weight(i) > 0); });
  if (order.size() > count) order.resize(count);
  return order;
}

LayersAnswer measured_layers(const LayersQuestion& question) {
  const trace::LayerTrace trace = trace::read_layer_trace(
      question.profile, {.runs = question.runs, .all_providers = question.all_providers});
  LayersAnswer answer = answer_of(trace);
  answer.model = question.model;
  std::optional<trace::EngineLayers> engine;
  std::vector<const EngineLayer*> stated(trace.layers.size(), nullptr);
  if (!question.layers.empty()) {
    engine = trace::read_engine_layers(question.layers);
    stated = engine_layers_of(trace, *engine, answer.mismatches);
    if (!engine->detailed) {
      answer.remarks.push_back(
          "the layer information has only names; build the engine with "
          "--profilingVerbosity=detailed to get shapes and formats");
    }
  }
  std::vector<JoinedLayer> joined;
  answer.layers.reserve(trace.layers.size());  // `joined` points into it
  for (std::size_t i = 0; i < trace.layers.size(); ++i) {
    const auto& row = trace.layers[i];
    const bool by_trace = stated[i] == nullptr && row.shape;
    const EngineLayer* known = by_trace ? &*row.shape : stated[i];
    const double calls = by_trace ? row.calls : 1;
    answer.layers.push_back(measured_layer(row, known, calls));
    joined.push_back({&answer.layers.back(), known, calls, row.op.empty() ? nullptr : &row});
  }
  answer.batch = batch_of(question, engine);
  join_model(question, joined, answer);
  add_times(question, answer);
  add_roofs(question, answer);
  add_energy(question, answer);
  add_totals(answer);
  return answer;
}

}  // namespace ridgewatt::answer
