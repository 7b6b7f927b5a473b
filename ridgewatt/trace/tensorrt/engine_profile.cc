#include "ridgewatt/trace/tensorrt/engine_profile.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "ridgewatt/base/contains.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/trace/text/fields.h"
#include "ridgewatt/trace/text/stated_runs.h"

namespace ridgewatt::trace {
namespace {

constexpr std::size_t kMostRows = std::size_t{1} << 20;
constexpr double kMostMs = 1e12;  // thirty years

// Time of a layer. timeMs is the sum over all runs, averageMs is the mean.
struct RowTime {
  double ms = 0;
  bool of_all_runs = false;
};

RowTime row_time(const Json& row) {
  const double mean_ms = number_field(row, "averageMs");
  if (std::isfinite(mean_ms)) return {mean_ms, false};
  return {number_field(row, "timeMs"), true};
}

}  // namespace

LayerTrace read_engine_profile(ElementReader& reader, const std::string& name,
                               const TraceOptions& options) {
  LayerTrace trace;
  trace.source = TraceSource::kTrtexec;
  double stated = 0;       // number of runs; 0: none
  std::vector<bool> sums;  // the times of these layers are of all runs
  reader.for_each("", [&](const Json& row) {
    if (trace.layers.size() >= kMostRows)
      throw InputError("has more rows than a profile can have", name);
    if (const Json* count = find_field(row, "count"); count != nullptr && row.size() == 1) {
      stated = number_field(row, "count");
      if (!(stated >= 1) || stated > 1e15) {
        throw InputError("the key \"count\" must be the number of runs", name);
      }
      return;
    }
    const std::string layer = text_field(row, "name");
    const auto [time_ms, of_all_runs] = row_time(row);
    if (layer.empty() || !(time_ms >= 0) || time_ms > kMostMs) {
      throw InputError(
          fmt::format("row {} has no \"name\" or no valid \"timeMs\"", trace.layers.size() + 1),
          name, "give a file that trtexec --exportProfile wrote");
    }
    trace.layers.push_back({.name = layer, .time_s = time_ms * 1e-3});
    sums.push_back(of_all_runs);
  });
  if (trace.layers.empty()) {
    throw InputError("has no layers", name, "give a file that trtexec --exportProfile wrote");
  }
  trace.runs = runs_of(options, stated);
  const bool any_sum = contains(sums, true);
  if (any_sum && stated == 0 && !options.runs) {
    trace.remarks.push_back("the profile does not state its number of runs: 1 is assumed (--runs)");
  }
  for (std::size_t i = 0; i < trace.layers.size(); ++i) {
    if (sums[i]) trace.layers[i].time_s /= trace.runs;
    trace.total_s += trace.layers[i].time_s;
  }
  return trace;
}

}  // namespace ridgewatt::trace
