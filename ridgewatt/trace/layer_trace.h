// Reads recorded profiles of real runtimes into one form: layers and their time on the device.
//
//   const LayerTrace trace = read_layer_trace("engine.profile.json");
//   for (const TracedLayer& layer : trace.layers) use(layer.name, layer.time_s);
//
// Supported formats, recognized by content:
//   trtexec --exportProfile         a row for each layer of the engine
//   Nsight Systems, SQLite export   a layer for each NVTX range that launched kernels; without
//                                   ranges, for each kernel name
//   PyTorch profiler, Chrome trace  a layer for each operator and shapes of its inputs; plain or
//                                   gzip
//   ONNX Runtime, node profile      a layer for each node of the optimized graph, CPU provider, or
//                                   all providers if asked for
// Files are streamed: memory use grows by a few bytes per kernel and operator, not with the file
// size, and is bounded. Times are per run of the model. The rows of trtexec state their number of
// runs; for the other formats TraceOptions::runs gives it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/trace/engine_layers.h"

namespace ridgewatt::trace {

enum class TraceSource { kTrtexec, kNsight, kPytorch, kOnnxRuntime };
constexpr auto enum_names(TraceSource) {
  return named<TraceSource>({{TraceSource::kTrtexec, "trtexec"},
                             {TraceSource::kNsight, "nsight-systems"},
                             {TraceSource::kPytorch, "pytorch-profiler"},
                             {TraceSource::kOnnxRuntime, "onnxruntime"}});
}

// The provider of ONNX Runtime that computes on the processor.
inline constexpr std::string_view kCpuProvider = "CPUExecutionProvider";

struct TracedLayer {
  std::string name;
  double time_s = 0;  // on the device, per run
  // For traces of kernels, per run; 0 if the profile does not contain it.
  double calls = 1;  // of the operator that `shape` is of
  double kernels = 0;
  double launch_s = 0;                    // CPU time of their launches
  double gap_s = 0;                       // the device idle just before them
  std::optional<EngineLayer> shape = {};  // from the trace itself
  // Of a node of ONNX Runtime's graph; empty for others.
  std::string op = {};           // "Conv", "ReorderInput"
  std::string provider = {};     // "CPUExecutionProvider"
  std::string output_type = {};  // "float", "float16"
  std::vector<std::int64_t> output_extents = {};
  double moved_bytes = 0;  // inputs, parameters and outputs, per call
};

// Idle time between kernels, over the whole recording.
struct LaunchGaps {
  double span_s = 0;  // from the first kernel to the end of the last
  double busy_s = 0;  // of it, with at least one kernel or copy running
  double copy_s = 0;  // copies between the host and the device, each counted in full
  std::size_t gaps = 0;
  double longest_s = 0;
  std::size_t launches = 0;
  double launch_mean_s = 0;  // CPU time of one launch
  double idle_s() const { return span_s - busy_s; }
};

struct LayerTrace {
  TraceSource source = TraceSource::kTrtexec;
  std::string device;  // "NVIDIA A100"; empty: unknown
  double runs = 1;
  std::vector<TracedLayer> layers;   // trtexec: in order of execution; others: by first kernel
  double total_s = 0;                // of all layers, per run
  std::optional<double> run_s = {};  // of a run as the trace states it: the median
  std::optional<LaunchGaps> gaps = {};
  std::vector<std::string> remarks = {};
};

struct TraceOptions {
  std::optional<double> runs = {};  // number of runs in the trace; absent: that of the file, else 1
  // Of ONNX Runtime also the nodes that are not on the CPU. Their times are of the host, which
  // hands them over and does not wait.
  bool all_providers = false;
};

// Throws NotFoundError, PermissionError, IoError or InputError (the fault and its position).
LayerTrace read_layer_trace(const std::string& path, const TraceOptions& options = {});
// JSON formats only, uncompressed, from memory; `name` is for messages.
LayerTrace parse_layer_trace(std::string_view text, const std::string& name,
                             const TraceOptions& options = {});

}  // namespace ridgewatt::trace
