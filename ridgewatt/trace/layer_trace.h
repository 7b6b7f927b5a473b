// Recorded profiles of real runtimes as one thing: layers and their time on the device.
//
//   const LayerTrace trace = read_layer_trace("engine.profile.json");
//   for (const TracedLayer& layer : trace.layers) use(layer.name, layer.time_s);
//
// Read are, recognized by content:
//   trtexec --exportProfile         a row for each layer of the engine
//   Nsight Systems, SQLite export   a layer for each NVTX range that launched kernels; without
//                                   ranges, for each kernel name
//   PyTorch profiler, Chrome trace  a layer for each operator and shapes of its inputs; plain or
//                                   gzip
// Files are streamed: memory grows by some bytes per kernel and operator, never by the file, and
// has a bound. Times are per run of the model: the rows of trtexec say how many runs they are of;
// for the others TraceOptions::runs does.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/trace/engine_layers.h"

namespace ridgewatt::trace {

enum class TraceSource { kTrtexec, kNsight, kPytorch };
constexpr auto enum_names(TraceSource) {
  return named<TraceSource>({{TraceSource::kTrtexec, "trtexec"},
                             {TraceSource::kNsight, "nsight-systems"},
                             {TraceSource::kPytorch, "pytorch-profiler"}});
}

struct TracedLayer {
  std::string name;
  double time_s = 0;  // on the device, per run
  // Of traces of kernels, per run; 0 where the profile does not tell.
  double calls = 1;  // of the operator that `shape` is of
  double kernels = 0;
  double launch_s = 0;                    // CPU time of their launches
  double gap_s = 0;                       // the device idle just before them
  std::optional<EngineLayer> shape = {};  // what the trace itself tells of the operator
};

// What kernels waited for one another, over the whole recording.
struct LaunchGaps {
  double span_s = 0;  // from the first kernel to the end of the last
  double busy_s = 0;  // of it, at least one kernel or copy ran
  std::size_t gaps = 0;
  double longest_s = 0;
  std::size_t launches = 0;
  double launch_mean_s = 0;  // CPU time of one launch
  double idle_s() const { return span_s - busy_s; }
};

struct LayerTrace {
  TraceSource source = TraceSource::kTrtexec;
  std::string device;  // "NVIDIA A100"; empty: not told
  double runs = 1;
  std::vector<TracedLayer> layers;  // trtexec: in order of execution; others: by first kernel
  double total_s = 0;               // of all layers, per run
  std::optional<LaunchGaps> gaps = {};
  std::vector<std::string> remarks = {};
};

struct TraceOptions {
  std::optional<double> runs = {};  // that the trace holds; absent: as the file says, else 1
};

// Throws NotFoundError, PermissionError, IoError or InputError (what is wrong, and where).
LayerTrace read_layer_trace(const std::string& path, const TraceOptions& options = {});
// JSON kinds alone, plain, from memory; `name` is for messages.
LayerTrace parse_layer_trace(std::string_view text, const std::string& name,
                             const TraceOptions& options = {});

}  // namespace ridgewatt::trace
