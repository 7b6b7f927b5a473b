#include "ridgewatt/trace/layer_trace.h"

#include "ridgewatt/base/error.h"
#include "ridgewatt/io/file_kind.h"
#include "ridgewatt/trace/nsight/nsight.h"
#include "ridgewatt/trace/onnxruntime/node_profile.h"
#include "ridgewatt/trace/pytorch/chrome_trace.h"
#include "ridgewatt/trace/tensorrt/engine_profile.h"
#include "ridgewatt/trace/text/element_reader.h"

namespace ridgewatt::trace {
namespace {

// Bytes at the beginning that distinguish the JSON formats.
constexpr std::size_t kSeenBytes = 4096;

// trtexec writes an array of rows. An array of events with a phase is a Chrome trace without the
// object around it.
bool is_engine_profile(std::string_view begin) {
  return begin.starts_with('[') && begin.find("\"ph\"") == std::string_view::npos;
}

// ONNX Runtime writes Chrome events without kernels, in the categories "Session" and "Node".
bool is_onnxruntime_profile(std::string_view begin) {
  return begin.starts_with('[') && begin.find("\"ph\"") != std::string_view::npos &&
         begin.find("\"Session\"") != std::string_view::npos;
}

LayerTrace read_json(TraceInput& input, ElementReader& raw, const TraceOptions& options) {
  const std::string_view begin = raw.begins_with(kSeenBytes);
  if (begin.empty()) throw InputError("is empty", input.name());
  if (begin.front() != '[' && begin.front() != '{') {
    throw InputError("is not a profile in a known format", input.name(),
                     "give a file that trtexec --exportProfile, nsys export --type sqlite, the "
                     "PyTorch profiler or the ONNX Runtime profiler wrote");
  }
  if (is_engine_profile(begin)) return read_engine_profile(raw, input.name(), options);
  if (is_onnxruntime_profile(begin)) return read_node_profile(raw, input.name(), options);
  raw.trust_quotes();
  return read_chrome_trace(raw, input.name(), options);
}

}  // namespace

LayerTrace read_layer_trace(const std::string& path, const TraceOptions& options) {
  TraceInput input(path);  // opened only once, because it may be a pipe
  ElementReader reader(input, Quotes::kRaw);
  if (reader.begins_with(kSqliteHeader.size()) == kSqliteHeader) return read_nsight(path, options);
  return read_json(input, reader, options);
}

LayerTrace parse_layer_trace(std::string_view text, const std::string& name,
                             const TraceOptions& options) {
  TraceInput input(text, name);
  ElementReader reader(input, Quotes::kRaw);
  return read_json(input, reader, options);
}

}  // namespace ridgewatt::trace
