#include "ridgewatt/report/page/json_fields.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <set>
#include <string_view>

#include "ridgewatt/base/plural.h"
#include "ridgewatt/base/text.h"

namespace ridgewatt::report {
namespace {

std::string unit_symbol(const std::string& unit) {
  if (unit == "w") return "W";
  if (unit == "j") return "J";
  return unit;
}

std::string first_text(const Json& json, std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    if (auto text = text_at(json, key); !text.empty()) return text;
  }
  return "";
}

// The rows of a result that state their origin.
Json rows_with_origin(const Json& json) {
  for (const char* list : {"estimates", "modes", "compared", "results"}) {
    if (Json rows = rows_at(json, list); !rows.empty()) return rows;
  }
  return json.is_array() ? json : Json::array();
}

// The different texts of the result itself or, if it has none, of its rows.
std::set<std::string> texts_of_rows(const Json& json, std::initializer_list<const char*> keys) {
  if (auto text = first_text(json, keys); !text.empty()) return {text};
  std::set<std::string> texts;
  for (const auto& row : rows_with_origin(json)) {
    if (auto text = first_text(row, keys); !text.empty()) texts.insert(std::move(text));
  }
  return texts;
}

// The text of the result or of all its rows; empty if rows differ.
std::string text_of_rows(const Json& json, std::initializer_list<const char*> keys) {
  const auto texts = texts_of_rows(json, keys);
  return texts.size() == 1 ? *texts.begin() : "";
}

}  // namespace

std::optional<double> number_at(const Json& json, const std::string& key) {
  if (!json.is_object()) return std::nullopt;
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number()) return std::nullopt;
  const double value = found->get<double>();
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::string text_at(const Json& json, const std::string& key) {
  if (!json.is_object()) return "";
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

Json rows_at(const Json& json, const std::string& key) {
  Json rows = Json::array();
  if (!json.is_object()) return rows;
  const auto found = json.find(key);
  if (found == json.end() || !found->is_array()) return rows;
  for (const auto& row : *found) {
    if (row.is_object()) rows.push_back(row);
  }
  return rows;
}

Column column_of_file(const std::string& name) {
  const bool setting = name.ends_with("_mhz") || name.ends_with("cpu_cores");
  return {.name = name, .digits = setting ? kNominal : Column().digits};
}

Cell cell_at(const Json& json, const std::string& key) {
  if (const auto number = number_at(json, key)) {
    if (json.at(key).is_number_integer()) return json.at(key).get<std::int64_t>();
    return *number;
  }
  const std::string text = text_at(json, key);
  return text.empty() ? truth_at(json, key) : Cell(text);
}

Cell truth_at(const Json& json, const std::string& key) {
  if (!json.is_object()) return {};
  const auto found = json.find(key);
  if (found == json.end() || !found->is_boolean()) return {};
  return std::string(found->get<bool>() ? "yes" : "no");
}

PowerMode mode_at(const Json& json) {
  const bool nested = json.is_object() && json.contains("mode") && json["mode"].is_object();
  const Json& knobs = nested ? json["mode"] : json;
  const auto knob = [&](const char* key) { return number_at(knobs, key).value_or(0); };
  PowerMode mode;
  const double cores = knob("cpu_cores");
  mode.cpu_cores = cores > 0 && cores < 1e6 ? static_cast<int>(cores) : 0;
  mode.cpu_clock_hz = hz_of_mhz(knob("cpu_mhz"));
  mode.gpu_clock_hz = hz_of_mhz(knob("gpu_mhz"));
  mode.mem_clock_hz = hz_of_mhz(knob("mem_mhz"));
  mode.governor = text_at(knobs, "governor");
  return mode;
}

std::optional<Observation> observation_at(const Json& json) {
  const auto time_ms = number_at(json, "time_ms");
  const auto power_w = number_at(json, "power_w");
  if (!time_ms || !power_w || !(*time_ms > 0) || !(*power_w > 0)) return std::nullopt;
  const double batch = number_at(json, "batch").value_or(0);
  return Observation{{mode_at(json), batch >= 1 && batch < 1e9 ? static_cast<int>(batch) : 0},
                     *time_ms / 1e3,
                     *power_w};
}

std::string quantity_at(const Json& json, const std::string& key, const std::string& unit) {
  const auto value = number_at(json, key + "_" + unit);
  if (!value) return "-";
  return cell_text(*value, 3) + " " + unit_symbol(unit);
}

std::string interval_at(const Json& json, const std::string& key, const std::string& unit) {
  const auto lo = number_at(json, key + "_lo_" + unit);
  const auto hi = number_at(json, key + "_hi_" + unit);
  if (!lo || !hi || !(*lo < *hi)) return "";
  return fmt::format("{} to {} {}", cell_text(*lo, 3), cell_text(*hi, 3), unit_symbol(unit));
}

std::string with_interval_at(const Json& json, const std::string& key, const std::string& unit) {
  const std::string interval = interval_at(json, key, unit);
  return quantity_at(json, key, unit) + (interval.empty() ? "" : " (" + interval + ")");
}

FigureSource source_at(const Json& json) {
  std::string workload = text_of_rows(json, {"workload", "model", "study"});
  const std::string kind = text_of_rows(json, {"kind"});
  if (!kind.empty() && workload.find(kind) == std::string::npos) workload += " " + kind;
  // Results of earlier versions have the ground in `provenance`.
  const std::string stated = text_of_rows(json, {"ground", "provenance"});
  std::optional<Provenance> provenance;
  for (const auto& [value, name] : kEnumNames<Provenance>) {
    if (stated.starts_with(name)) provenance = value;
  }
  // The rest of a text like "modelled with the agx-orin twin ..." is the detail.
  std::string detail(
      trim(std::string_view(stated).substr(provenance ? name_of(*provenance).size() : 0)));
  for (const char* start : {"with ", ": ", ", "}) {
    if (detail.starts_with(start)) detail.erase(0, std::string_view(start).size());
  }
  std::string runtime = text_of_rows(json, {"runtime"});
  if (runtime == "all") runtime.clear();  // the rows state theirs
  const std::string twin = text_of_rows(json, {"twin"});
  if (detail.empty() && provenance == Provenance::kModelled) {
    std::string remark = text_at(json, "remark");
    if (remark.starts_with("modelled with ")) detail = remark.substr(14);
  }
  if (!twin.empty() && detail.find(twin) == std::string::npos) {
    detail = "twin " + twin + (detail.empty() ? "" : "; " + detail);
  }
  if (!runtime.empty() && detail.find(runtime) == std::string::npos) {
    detail = runtime + (detail.empty() ? "" : ", " + detail);
  }
  const auto boards = texts_of_rows(json, {"board", "device"});
  std::string board = boards.size() == 1 ? *boards.begin() : "";
  if (boards.size() > 1) board = counted(std::ssize(boards), "board");
  // If the workload already names the board, it is not repeated.
  if (!board.empty() && workload.find(" on ") != std::string::npos) {
    const auto on = workload.rfind(" on ");
    board = workload.substr(on + 4);
    workload.erase(on);
    while (workload.ends_with(',')) workload.pop_back();
  }
  return {workload, board, provenance, detail};
}

}  // namespace ridgewatt::report
