// Measured layers and their roof: the profile of a real runtime, joined with what its engine and
// the ONNX graph say about the work, with a board's roofs and with power.
//
//   const LayersAnswer found = measured_layers({.profile = "p.json", .layers = "l.json"});
//   for (const MeasuredLayer& layer : found.layers) use(layer.name, layer.time_s, layer.macs);
//
// Bytes and multiply-accumulates of a fused kernel follow from the engine's layer information:
// bytes = extents x format width (weights as stored); multiply-accumulates = filters x outputs.
// With a model, each layer also gets its operation count and its ONNX nodes, matched by name, else
// by order and shape. What does not fit is listed in `mismatches`.
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
  std::string profile;      // see trace/layer_trace.h
  std::string layers = {};  // trtexec --exportLayerInfo; empty: none
  std::string times = {};   // trtexec --exportTimes
  std::string model = {};   // an ONNX file or zoo:NAME
  std::map<std::string, std::int64_t> dims = {};
  std::optional<std::int64_t> batch = {};  // absent: the engine's
  std::optional<double> runs = {};         // number of runs, if the trace does not say
  std::string power = {};                  // samples of power while the engine ran
  std::string power_channel = {};          // channel to use; empty: the only one, or VDD_IN
  std::string device = {};                 // board or board file; empty: no roofs
  std::string mode = "maxn";               // one mode of it, see select_modes
  bool all_providers = false;              // see trace::TraceOptions
};

enum class LayerKind {
  kWork,      // an operator or several: see MeasuredLayer::op_class
  kReformat,  // a copy into another format or type
  kNothing,   // takes no kernel: "NoOp" of an engine
};

// What a layer does, where it is known.
struct LayerWork {
  double macs = 0;
  double work_flop = 0;  // 2 for each of them, and what else was counted
};

// Where a layer lies under the roofs of a board.
struct LayerRoof {
  double ceiling_s = 0;  // lower bound on time: work at the peak or traffic at the bandwidth
  double ceiling_flop_per_s = 0;    // at its intensity; 0 without work
  std::optional<double> reached_s;  // time the twin predicts for similar kernels in this runtime
};

struct MeasuredLayer {
  std::string name;
  LayerKind kind = LayerKind::kWork;
  workload::OpClass op_class = workload::OpClass::kOther;
  std::vector<std::string> onnx_nodes = {};
  std::string copy_of = {};  // of a reformat copy: the layer that it serves
  double time_s = 0;         // on the device, per run
  std::optional<LayerWork> work = {};
  std::optional<double> traffic_bytes = {};  // of inputs, outputs and weights, each once
  workload::Precision precision = workload::Precision::kFp32;
  bool precision_known = false;                  // the profile or the layer information states it
  std::string op = {};                           // as the runtime names it; empty: not stated
  std::string provider = {};                     // of ONNX Runtime
  double kernels = 0, launch_s = 0, idle_s = 0;  // see trace::TracedLayer
  std::optional<LayerRoof> roof = {};
  std::optional<double> energy_j = {};

  std::string kind_text() const;  // "convolution", "reformat", "no operation"
  // Time that it takes above its ceiling; below 0 where caches beat the memory.
  std::optional<double> gap_s() const;
};

struct LayersAnswer {
  trace::TraceSource source = trace::TraceSource::kTrtexec;
  std::optional<Runtime> runtime;  // absent: the trace does not tell
  std::string recorded_on;         // the device as the trace names it; may be empty
  std::string board, model;        // as asked; may be empty
  PowerMode mode;
  double runs = 1;
  std::optional<std::int64_t> batch;
  std::vector<MeasuredLayer> layers;    // in the order of the profile
  double time_s = 0;                    // of all layers: the profile's total
  std::optional<double> run_s;          // of a run, where the trace states it
  std::optional<LayerWork> work;        // of the layers whose work is known
  std::optional<LayerWork> model_work;  // of the model, at that batch
  std::optional<double> traffic_bytes, energy_j;
  std::optional<double> power_w;  // mean of the power file
  Provenance energy_provenance = Provenance::kMeasured;
  std::vector<twin::RoofCeiling> ceilings;  // that the layers lie under, each once
  std::optional<trace::LaunchGaps> gaps;
  std::optional<trace::EngineTimes> times;
  std::vector<std::string> mismatches;  // between profile, engine and model: a sentence each
  std::vector<std::string> remarks;     // what the figures rest on

  // Indices of layers, largest gap first (without roofs: longest first); at most `count`.
  std::vector<std::size_t> worth_work(std::size_t count) const;
};

// Throws what reading the files, the model, the board and its modes throws.
LayersAnswer measured_layers(const LayersQuestion& question);

// A layer as a fit of a runtime's parameters takes it: work, traffic and time are known and not 0.
struct RuntimeSample {
  std::string layer;
  std::optional<Runtime> runtime;
  workload::OpClass op_class = workload::OpClass::kOther;
  workload::Precision precision = workload::Precision::kFp32;
  double time_s = 0;
  double work_flop = 0;
  double traffic_bytes = 0;
};
std::vector<RuntimeSample> runtime_samples(const LayersAnswer& answer);

}  // namespace ridgewatt::answer
