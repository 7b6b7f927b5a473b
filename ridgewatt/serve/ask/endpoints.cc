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

// The parameters of a question.
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

// The endpoint of a command with a table of parameters.
Endpoint endpoint_of(const answer::ParameterTable& table) {
  std::string path(table.path.empty() ? table.command : table.path);
  std::replace(path.begin(), path.end(), ' ', '/');
  return {.path = std::move(path),
          .command = table.command,
          .summary = table.description,
          .options = options_of(table),
          .unless = table.unless};
}

// Stores are given by number, so these endpoints have no table.
const EndpointOption kStoreOption = {"store", kStore, "DATABASE"};

std::vector<Endpoint> all() {
  std::vector<Endpoint> all;
  for (answer::ParameterTableOf* const table : answer::kParameterTables) {
    all.push_back(endpoint_of(table()));
  }
  all.push_back({"devices", "device list", "The boards with their peaks in the top mode"});
  all.push_back({.path = "runs",
                 .command = "store list",
                 .summary = "The contents of a store of this server",
                 .options = {kStoreOption},
                 .lasting = false});
  all.push_back({.path = "runs/export",
                 .command = "store export",
                 .summary = "Points of a store, as a sweep",
                 .options = {kStoreOption, {"workload", kText}, {"kind", kText}, {"device", kWord}},
                 .lasting = false,
                 .answers_csv = true});
  return all;
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
