#include "ridgewatt/serve/ask/endpoints.h"

#include <algorithm>

namespace ridgewatt::serve {
namespace {

using enum ValueKind;

// What says how a model is run: of analyze, estimate, roofline and tune.
std::vector<EndpointOption> with_workload(std::vector<EndpointOption> more) {
  std::vector<EndpointOption> options = {
      {"model", kModel, "MODEL", true},
      {"batch", kNumber},
      {"training", kFlag},
      {"precision", kWord},
      {"runtime", kWord},
      {"dim", kWord},
      {"strict", kFlag},
  };
  options.insert(options.end(), more.begin(), more.end());
  return options;
}

std::vector<EndpointOption> with_running(std::vector<EndpointOption> more) {
  std::vector<EndpointOption> options = with_workload({{"optimizer", kWord},
                                                       {"workers", kNumber},
                                                       {"loader-time", kNumber},
                                                       {"python-caller", kFlag},
                                                       {"device", kBoard, {}, true},
                                                       {"modes", kWord}});
  options.insert(options.end(), more.begin(), more.end());
  return options;
}

std::vector<EndpointOption> tuning() {
  return with_workload(
      {{"device", kBoard, {}, true}, {"sweep", kUpload},       {"samples", kUpload},
       {"reference", kUpload},       {"workload", kWord},      {"minimize", kWord},
       {"max-power", kNumber},       {"max-time", kNumber},    {"max-energy", kNumber},
       {"max-slowdown", kNumber},    {"max-latency", kNumber}, {"arrival-rate", kNumber},
       {"energy-weight", kNumber},   {"time-weight", kNumber}, {"confidence", kNumber},
       {"dataset-size", kNumber},    {"epochs", kNumber},      {"keep-outliers", kFlag},
       {"strategy", kWord},          {"profiles", kNumber},    {"minibatches", kNumber},
       {"min-gain", kNumber},        {"noise", kNumber}});
}

std::vector<EndpointOption> with_schedule(std::vector<EndpointOption> more) {
  std::vector<EndpointOption> options = {
      {"inference", kModel},
      {"training", kModel},
      {"device", kBoard},
      {"modes", kWord},
      {"inference-batch", kNumber},
      {"inference-runtime", kWord},
      {"inference-precision", kWord},
      {"training-precision", kWord},
      {"training-batch", kNumber},
      {"inference-sweep", kUpload},
      {"training-sweep", kUpload},
      {"non-urgent", kUpload},
      {"non-urgent-rate", kNumber},
      {"arrival-rate", kNumber},
      {"max-latency", kNumber},
      {"max-power", kNumber},
      {"bound", kWord},
      {"keep-outliers", kFlag},
      {"idle-power", kNumber},
  };
  options.insert(options.end(), more.begin(), more.end());
  return options;
}

std::vector<EndpointOption> simulating() {
  return with_schedule({{"arrivals", kWord},
                        {"burst-rates", kNumber},
                        {"burst-dwell", kNumber},
                        {"duration", kNumber},
                        {"sharing", kWord},
                        {"full-batches", kFlag},
                        {"late-last", kFlag},
                        {"fill-idle", kFlag},
                        {"jitter", kNumber},
                        {"mode-change", kNumber},
                        {"interference", kNumber},
                        {"power-bin", kNumber}});
}

// A language model, what runs it, and a request: of llm and tune llm.
std::vector<EndpointOption> with_language(std::vector<EndpointOption> more) {
  std::vector<EndpointOption> options = {
      {"model", kModel, "MODEL", true}, {"device", kBoard, {}, true}, {"runtime", kWord},
      {"quantization", kWord},          {"prompt", kNumber},          {"generate", kNumber},
      {"concurrency", kNumber},         {"kv-type", kWord},           {"modes", kWord},
      {"reserve-gb", kNumber},
  };
  options.insert(options.end(), more.begin(), more.end());
  return options;
}

std::vector<Endpoint> answers() {
  return {
      {"analyze", "analyze", "Operations, bytes, parameters and memory of a model",
       with_workload({{"optimizer", kWord},
                      {"convention", kWord},
                      {"traffic", kWord},
                      {"cache-size", kNumber},
                      {"per-layer", kFlag},
                      {"explain", kWord}})},
      {"estimate", "estimate", "Time, power and energy in power modes",
       with_running({{"per-layer", kFlag}, {"dataset-size", kNumber}, {"epochs", kNumber}})},
      {"roofline", "roofline", "Roofs of power modes, and where layers lie",
       with_running({{"power-cap", kNumber}, {"level", kWord}})},
      {"tune", "tune", "The best power mode and batch within limits", tuning(), true, false,
       "sweep"},
      {"pareto",
       "pareto",
       "The front of time, power and energy",
       {{"device", kBoard},
        {"model", kModel},
        {"sweep", kUpload},
        {"samples", kUpload},
        {"reference", kUpload},
        {"query", kUpload},
        {"workload", kWord},
        {"method", kWord},
        {"interval", kNumber},
        {"keep-outliers", kFlag},
        {"presets", kFlag},
        {"x", kWord},
        {"y", kWord}}},
      {"fits",
       "fits",
       "Whether a language model fits a board's memory",
       {{"model", kModel, "MODEL", true},
        {"device", kBoard, {}, true},
        {"quantization", kWord},
        {"context", kNumber},
        {"batch", kNumber},
        {"kv-type", kWord},
        {"reserve-gb", kNumber}}},
      {"llm", "llm", "Speed, power and joules per token of a language model",
       with_language({{"context", kNumber, {}, false, true}, {"pareto", kFlag}})},
      {"tune/llm", "tune llm", "The best power modes for a language model",
       with_language({{"minimize", kWord},
                      {"max-power", kNumber},
                      {"max-ttft", kNumber},
                      {"max-tpot", kNumber},
                      {"min-tokens-per-s", kNumber},
                      {"confidence", kNumber},
                      {"phases", kFlag}})},
      {"layers",
       "layers",
       "Measured layers beside the model's",
       {{"profile", kUpload, {}, true},
        {"layers", kUpload},
        {"times", kUpload},
        {"power", kUpload},
        {"model", kModel},
        {"batch", kNumber},
        {"dim", kWord},
        {"runs", kNumber},
        {"device", kBoard},
        {"mode", kWord},
        {"power-channel", kWord}}},
      {"schedule/plan", "schedule plan", "How training and inference share one board",
       with_schedule({{"strategy", kWord},
                      {"profiles", kNumber},
                      {"training-reference", kUpload},
                      {"inference-reference", kUpload}})},
      {"schedule/simulate", "schedule simulate", "A plan against arrivals", simulating()},
  };
}

// Which parameters are lists, as the options are.
void mark_lists(std::string_view path, std::vector<EndpointOption>& options) {
  static constexpr std::string_view kLists[] = {"batch",
                                                "inference-batch",
                                                "training",
                                                "columns",
                                                "dim",
                                                "level",
                                                "reference",
                                                "training-sweep",
                                                "non-urgent",
                                                "non-urgent-rate",
                                                "sharing",
                                                "burst-rates",
                                                "inference-reference",
                                                "training-reference"};
  const bool one_batch = path == "analyze" || path == "fits" || path == "layers";
  for (EndpointOption& option : options) {
    if (option.kind == kFlag || (one_batch && option.name == "batch")) continue;
    const auto* const found = std::find(std::begin(kLists), std::end(kLists), option.name);
    option.several = option.several || found != std::end(kLists);
  }
}

std::vector<Endpoint> all() {
  std::vector<Endpoint> table = answers();
  const std::vector<Endpoint> lists = {
      {"devices", "device list", "The boards with their peaks in the top mode", {}},
      {"device",
       "device show",
       "One board, every number with its source",
       {{"device", kBoard, "BOARD", true}, {"list-modes", kFlag}}},
      {"zoo", "zoo list", "The built-in architectures", {{"language", kFlag}}},
      {"runs",
       "store list",
       "What a store of this server holds",
       {{"store", kStore, "DATABASE"}},
       false},
      {"runs/export",
       "store export",
       "Points of a store, as a sweep",
       {{"store", kStore, "DATABASE"}, {"workload", kWord}, {"kind", kWord}, {"device", kWord}},
       false,
       true},
  };
  table.insert(table.end(), lists.begin(), lists.end());
  for (Endpoint& endpoint : table) mark_lists(endpoint.path, endpoint.options);
  return table;
}

}  // namespace

std::span<const Endpoint> endpoints() {
  static const std::vector<Endpoint> table = all();
  return table;
}

const Endpoint* find_endpoint(std::string_view path) {
  const auto table = endpoints();
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const Endpoint& e) { return e.path == path; });
  return found == table.end() ? nullptr : &*found;
}

std::span<const EndpointOption> common_options() {
  static const std::vector<EndpointOption> options = {
      {"format", kWord},
      {"seed", kNumber},
      {"top", kNumber},
      {"sort", kWord},
      {"columns", kWord, {}, false, true},
      {"figures", kFlag},
  };
  return options;
}

}  // namespace ridgewatt::serve
