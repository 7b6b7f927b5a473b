// Reads recorded profiles of runtimes into one form: layers and their time on the device.
//
//   const LayerTrace trace = read_layer_trace("engine.profile.json");
//   for (const TracedLayer& layer : trace.layers) use(layer.name, layer.time_s);
//
// Supported formats, recognized by content:
//   trtexec --exportProfile         one layer per layer of the engine
//   Nsight Systems, SQLite export   one layer per NVTX range that launched kernels; without ranges,
//                                   per kernel name
//   PyTorch profiler, Chrome trace  one layer per operator and shapes of its inputs; plain or gzip
//   ONNX Runtime, node profile      one layer per node of the optimized graph, on the CPU provider
//                                   or, with TraceOptions::all_providers, on all providers
//
// Files are streamed: memory use is bounded and grows by a few bytes per kernel and operator. Times
// are per run of the model. A trtexec profile states its number of runs. For other formats, set
// TraceOptions::runs.
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

// The provider of ONNX Runtime that computes on the CPU.
inline constexpr std::string_view kCpuProvider = "CPUExecutionProvider";

struct TracedLayer {
  std::string name;
  double time_s = 0;  // on the device, per run
  // The following values are per run; 0 if the profile does not contain them.
  double calls = 1;  // calls of the operator to which `shape` belongs
  double kernels = 0;
  double launch_s = 0;                    // CPU time to launch the kernels
  double gap_s = 0;                       // idle time of the device just before the kernels
  std::optional<EngineLayer> shape = {};  // from the trace itself
  // Only for nodes of ONNX Runtime.
  std::string op = {};           // "Conv", "ReorderInput"
  std::string provider = {};     // "CPUExecutionProvider"
  std::string output_type = {};  // "float", "float16"
  std::vector<std::int64_t> output_extents = {};
  double moved_bytes = 0;  // inputs, parameters and outputs, per call
};

// Idle time between kernels over the whole recording.
struct LaunchGaps {
  double span_s = 0;  // from the start of the first kernel to the end of the last
  double busy_s = 0;  // part of span_s in which at least one kernel or copy runs
  double copy_s = 0;  // copies between host and device; overlapping copies all count
  std::size_t gaps = 0;
  double longest_s = 0;
  std::size_t launches = 0;
  double launch_mean_s = 0;  // CPU time of one launch
  double idle_s() const { return span_s - busy_s; }
};

struct LayerTrace {
  TraceSource source = TraceSource::kTrtexec;
  std::string device;  // "NVIDIA A100". Empty: not known.
  double runs = 1;
  // For trtexec in order of execution, otherwise in order of the first kernel.
  std::vector<TracedLayer> layers;
  double total_s = 0;                // sum over all layers, per run
  std::optional<double> run_s = {};  // median time of a run, if the trace states it
  std::optional<LaunchGaps> gaps = {};
  std::vector<std::string> remarks = {};
};

struct TraceOptions {
  // Number of runs in the trace. Absent: the number in the file, or 1.
  std::optional<double> runs = {};
  // For ONNX Runtime: also read nodes that do not run on the CPU. Their times are those of the
  // host, which launches such nodes without waiting for them.
  bool all_providers = false;
};

// Throws NotFoundError, PermissionError or IoError, InputError with the fault and its position, and
// UsageError if options.runs contradicts the file.
LayerTrace read_layer_trace(const std::string& path, const TraceOptions& options = {});
// Like read_layer_trace(), for uncompressed JSON formats in memory. `name` is used in messages.
LayerTrace parse_layer_trace(std::string_view text, const std::string& name,
                             const TraceOptions& options = {});

}  // namespace ridgewatt::trace
