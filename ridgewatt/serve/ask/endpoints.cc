#include "ridgewatt/serve/ask/endpoints.h"

#include <algorithm>

namespace ridgewatt::serve {
namespace {

using enum ValueKind;

ValueKind kind_of(answer::Input input) {
  switch (input) {
    case answer::Input::kFlag:
      return kFlag;
    case answer::Input::kNumber:
      return kNumber;
    case answer::Input::kModel:
    case answer::Input::kLanguageModel:
      return kModel;
    case answer::Input::kBoard:
      return kBoard;
    case answer::Input::kFile:
    case answer::Input::kPoints:
    case answer::Input::kSweep:
      return kUpload;
    case answer::Input::kText:
    case answer::Input::kPair:
      return kText;
    case answer::Input::kNames:
      return kNames;
    case answer::Input::kWord:
    case answer::Input::kRange:
    case answer::Input::kModes:
      return kWord;
  }
  return kWord;
}

// The rows of a question.
std::vector<EndpointOption> options_of(const answer::ParameterTable& table) {
  const auto question = table.make();
  std::vector<EndpointOption> options;
  for (const answer::Part& part : table.parts) {
    for (const answer::Parameter& row : part.rows) {
      if (row.only == answer::Surface::kPython) continue;
      options.push_back({row.name, kind_of(row.access.input), row.positional,
                         row.presence != answer::Presence::kOptional, row.access.repeated, &row,
                         default_of(row, part.of(question.get()))});
    }
  }
  return options;
}

// A store is named by its number, so these have no rows.
const EndpointOption kStoreOption = {"store", kStore, "DATABASE"};

std::vector<Endpoint> all() {
  std::vector<Endpoint> table = {
      {"analyze", "analyze", "Operations, bytes, parameters and memory of a model"},
      {"estimate", "estimate", "Time, power and energy in power modes"},
      {"explain", "explain", "Why a measured time is longer than the hardware allows"},
      {"roofline", "roofline", "Roofs of power modes, and the place of each layer"},
      {.path = "tune",
       .command = "tune",
       .summary = "The best power mode and batch within limits",
       .unless = "sweep"},
      {"pareto", "pareto", "The front of time, power and energy"},
      {"predict", "predict", "Time, power and energy of all modes from a few profiled ones"},
      {"fits", "fits", "Whether a language model fits a board's memory"},
      {"llm", "llm", "Speed, power and joules per token of a language model"},
      {"tune/llm", "tune llm", "The best power modes for a language model"},
      {"layers", "layers", "Measured layers compared with the model's"},
      {"thermal/hold", "thermal hold", "For how long a board can hold a power"},
      {"schedule/plan", "schedule plan", "A plan for training and inference on one board"},
      {"schedule/simulate", "schedule simulate", "Simulation of a plan with arriving requests"},
      {"devices", "device list", "The boards with their peaks in the top mode"},
      {"device", "device show", "Every number of one board, with its source"},
      {"zoo", "zoo list", "The built-in architectures"},
      {.path = "runs",
       .command = "store list",
       .summary = "The contents of a store of this server",
       .options = {kStoreOption},
       .lasting = false},
      {.path = "runs/export",
       .command = "store export",
       .summary = "Points of a store, as a sweep",
       .options = {kStoreOption, {"workload", kText}, {"kind", kText}, {"device", kWord}},
       .lasting = false,
       .answers_csv = true},
  };
  for (Endpoint& endpoint : table) {
    if (const auto* rows = answer::find_table(endpoint.command)) {
      endpoint.options = options_of(*rows);
    }
  }
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
      {"format", kWord},  {"seed", kNumber}, {"strict", kFlag},
      {"top", kNumber},   {"sort", kText},   {"columns", kText, {}, false, true},
      {"figures", kFlag},
  };
  return options;
}

}  // namespace ridgewatt::serve
