#include "ridgewatt/report/mode_json.h"

#include <fmt/format.h>

#include <algorithm>

#include "ridgewatt/base/error.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/report/columns.h"

namespace ridgewatt::report {

Json mode_to_json(const PowerMode& mode) {
  Json json = Json::object();
  if (mode.cpu_cores > 0) json["cpu_cores"] = mode.cpu_cores;
  for (const Knob knob : {Knob::kCpuClock, Knob::kGpuClock, Knob::kMemClock}) {
    if (mode.has(knob)) json[std::string(knob_field(knob))] = knob_in_field_unit(mode, knob);
  }
  if (!mode.governor.empty()) json["governor"] = mode.governor;
  return json;
}

PowerMode mode_from_json(const Json& json, const std::string& source) {
  PowerMode mode;
  if (!json.is_object()) throw InputError("a power mode in the file is not a JSON object", source);
  for (const Knob knob : kKnobs) {
    const Json value = json.value(std::string(knob_field(knob)), Json());
    if (value.is_null()) continue;
    const double number = value.is_number() ? value.get<double>() : 0;
    if (const auto fault = knob_fault(knob, number)) {
      throw InputError(fmt::format("{} of the power mode is {}", knob_field(knob),
                                   value.dump(-1, ' ', true, Json::error_handler_t::replace)),
                       source, std::string(*fault));
    }
    set_in_field_unit(mode, knob, number);
  }
  const Json governor = json.value("governor", Json());
  if (governor.is_string()) mode.governor = governor.get<std::string>();
  return mode;
}

PowerMode mode_of_answer(const std::string& path, const std::string& phase) {
  const Json answer = Json::parse(read_file(path), nullptr, false);
  Json knobs;
  if (answer.is_object()) {
    const std::string own = phase + "_mode";
    knobs = answer.value(!phase.empty() && answer.contains(own) ? own : "mode", Json());
  }
  if (!knobs.is_object()) {
    throw InputError("has no power mode", path, "give the output of tune --format json");
  }
  return mode_from_json(knobs, path);
}

std::vector<Column> knob_columns(int rank) {
  std::vector<Column> columns;
  for (const Knob knob : kKnobs) columns.push_back(optional_column(knob_field(knob), rank));
  columns.push_back(optional_column("governor", rank));
  return columns;
}

std::vector<Column> knob_columns_of(const std::vector<PowerMode>& modes, int rank) {
  std::vector<Column> columns = knob_columns(rank);
  for (const auto& mode : modes) {
    for (std::size_t i = 0; i < kKnobs.size(); ++i) {
      if (mode.has(kKnobs[i])) columns[i].optional = false;
    }
    if (!mode.governor.empty()) columns.back().optional = false;
  }
  return columns;
}

std::vector<Cell> knob_cells(const PowerMode& mode, const std::vector<Column>& columns) {
  std::vector<Cell> cells;
  for (const auto& column : columns) {
    Cell cell;
    for (const Knob knob : kKnobs) {
      if (column.name != knob_field(knob) || !mode.has(knob)) continue;
      if (knob == Knob::kCpuCores)
        cell = std::int64_t{mode.cpu_cores};
      else
        cell = knob_in_field_unit(mode, knob);
    }
    if (column.name == "governor" && !mode.governor.empty()) cell = mode.governor;
    cells.push_back(std::move(cell));
  }
  return cells;
}

}  // namespace ridgewatt::report
