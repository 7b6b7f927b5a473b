// Joins the measured layers of a runtime's profile with their work (from the engine and the ONNX
// graph), the roofline of a board, and measured power.
//
//   const LayersAnswer found = measured_layers({.profile = "p.json", .layers = "l.json"});
//   for (const MeasuredLayer& layer : found.layers) use(layer.name, layer.time_s, layer.work);
//
// The bytes and multiply-accumulates of a fused kernel follow from the engine's layer information:
//   bytes = elements x size of the format; weights as stored
//   multiply-accumulates = elements of a filter x elements of the output
// With a model, each layer also gets its number of operations and its ONNX nodes. Layers and nodes
// are matched by name, and otherwise by order and shape. `mismatches` lists contradictions.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/sweep/provenance.h"
#include "ridgewatt/trace/engine_times.h"
#include "ridgewatt/trace/layer_trace.h"
#include "ridgewatt/twin/twin_roofline.h"
#include "ridgewatt/workload/workload_cost.h"

namespace ridgewatt::answer {

struct LayersQuestion {
  std::string profile;      // file; see trace/layer_trace.h
  std::string layers = {};  // file of trtexec --exportLayerInfo; empty: none
  std::string times = {};   // file of trtexec --exportTimes; empty: none
  std::string model = {};   // ONNX file or zoo:NAME; empty: none
  std::map<std::string, std::int64_t> dims = {};
  std::optional<std::int64_t> batch = {};  // absent: the engine's batch
  std::optional<double> runs = {};         // number of runs, if the profile does not state it
  std::string power = {};          // file of power samples taken while the engine ran; empty: none
  std::string power_channel = {};  // empty: the only channel, or VDD_IN
  std::string device = {};         // board or board file; empty: no roofline
  std::string mode = "maxn";       // one mode of the board; see select_modes()
  bool all_providers = false;      // see trace::TraceOptions
};

enum class LayerKind {
  kWork,      // one operator or several fused ones: see MeasuredLayer::op_class
  kReformat,  // a copy to another type or layout
  kNothing,   // launches no kernel, such as "NoOp" of an engine
};

// Work of a layer or model.
struct LayerWork {
  double macs = 0;
  double work_flop = 0;  // 2 per multiply-accumulate, plus other counted operations
};

// Position of a layer relative to the roofline of a board.
struct LayerRoof {
  // Lower bound on the time: the longer of compute time at peak rate and traffic at peak bandwidth.
  double ceiling_s = 0;
  double ceiling_flop_per_s = 0;  // attainable at the layer's intensity; 0 without work
  // Time that the twin predicts for similar kernels in this runtime.
  std::optional<double> reached_s;
};

struct MeasuredLayer {
  std::string name;
  LayerKind kind = LayerKind::kWork;
  workload::OpClass op_class = workload::OpClass::kOther;
  std::vector<std::string> onnx_nodes = {};
  std::string copy_of = {};                  // for kReformat: the layer whose data it copies
  double time_s = 0;                         // on the device, per run
  std::optional<LayerWork> work = {};        // absent: unknown
  std::optional<double> traffic_bytes = {};  // inputs, outputs, weights, each once
  workload::Precision precision = workload::Precision::kFp32;
  bool precision_known = false;  // whether a file states it
  std::string op = {};           // operator, as the runtime names it; empty: not stated
  std::string provider = {};     // execution provider of ONNX Runtime
  double kernels = 0, launch_s = 0, idle_s = 0;  // see trace::TracedLayer
  std::optional<LayerRoof> roof = {};
  std::optional<double> energy_j = {};

  std::string kind_text() const;  // "convolution", "reformat", "no operation"
  // Returns the time above `ceiling_s`. Negative if data comes from caches rather than memory.
  std::optional<double> gap_s() const;
};

struct LayersAnswer {
  trace::TraceSource source = trace::TraceSource::kTrtexec;
  std::optional<Runtime> runtime;  // absent: not known from the profile
  std::string recorded_on;         // device name in the profile; may be empty
  std::string board, model;        // of the question; may be empty
  PowerMode mode;
  double runs = 1;
  std::optional<std::int64_t> batch;
  std::vector<MeasuredLayer> layers;    // in the order of the profile
  double time_s = 0;                    // sum over all layers
  std::optional<double> run_s;          // duration of a run, if the profile states it
  std::optional<LayerWork> work;        // sum over layers whose work is known
  std::optional<LayerWork> model_work;  // of the whole model, at `batch`
  std::optional<double> traffic_bytes, energy_j;
  std::optional<double> power_w;  // mean over the power file
  Provenance energy_provenance = Provenance::kMeasured;
  std::vector<twin::RoofCeiling> ceilings;  // ceilings of the layers, without duplicates
  std::optional<trace::LaunchGaps> gaps;
  std::optional<trace::EngineTimes> times;
  // Contradictions between profile, engine and model, each a sentence.
  std::vector<std::string> mismatches;
  std::vector<std::string> remarks;  // assumptions and limitations of the figures

  // Returns indices of at most `count` layers, largest gap first. Without a board, longest layer
  // first.
  std::vector<std::size_t> worth_work(std::size_t count) const;
};

// Throws the errors of reading the files, the model, the board and its modes, and UsageError if the
// batch of the question differs from the batch of the engine.
LayersAnswer measured_layers(const LayersQuestion& question);

}  // namespace ridgewatt::answer
