#include "ridgewatt/trace/tensorrt/engine_profile.h"

#include <fmt/format.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/trace/text/fields.h"
#include "ridgewatt/trace/text/stated_runs.h"

namespace ridgewatt::trace {
namespace {

constexpr std::size_t kMostRows = std::size_t{1} << 20;
constexpr double kMostMs = 1e12;  // thirty years

// Mean time of one run. timeMs is the sum over all runs, averageMs is the mean.
double row_time_ms(const Json& row, double runs) {
  const double sum_ms = number_field(row, "timeMs");
  const double mean_ms = number_field(row, "averageMs");
  return std::isfinite(mean_ms) ? mean_ms : sum_ms / runs;
}

}  // namespace

LayerTrace read_engine_profile(ElementReader& reader, const std::string& name,
                               const TraceOptions& options) {
  LayerTrace trace;
  trace.source = TraceSource::kTrtexec;
  reader.for_each("", [&](const Json& row) {
    if (trace.layers.size() >= kMostRows)
      throw InputError("has more rows than a profile can have", name);
    if (const Json* count = find_field(row, "count"); count != nullptr && row.size() == 1) {
      trace.runs = number_field(row, "count");
      if (!(trace.runs >= 1) || trace.runs > 1e15) {
        throw InputError("the key \"count\" must be the number of runs", name);
      }
      return;
    }
    const std::string layer = text_field(row, "name");
    const double time_ms = row_time_ms(row, trace.runs);
    if (layer.empty() || !(time_ms >= 0) || time_ms > kMostMs) {
      throw InputError(
          fmt::format("row {} has no \"name\" or no valid \"timeMs\"", trace.layers.size() + 1),
          name, "give a file that trtexec --exportProfile wrote");
    }
    trace.layers.push_back({.name = layer, .time_s = time_ms * 1e-3});
    trace.total_s += trace.layers.back().time_s;
  });
  if (trace.layers.empty()) {
    throw InputError("has no layers", name, "give a file that trtexec --exportProfile wrote");
  }
  trace.runs = runs_of(options, trace.runs);
  return trace;
}

}  // namespace ridgewatt::trace
