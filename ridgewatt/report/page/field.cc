#include "ridgewatt/report/field.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ridgewatt/report/mode_json.h"

namespace ridgewatt::report {
namespace {

struct KeyUnit {
  std::string_view suffix, si;  // suffix of the key, and of the name in SI units
  KeyScale scale = {};
};

constexpr std::array<KeyUnit, 8> kKeyUnits = {{{"_ms", "_s", {.times = 1e3}},
                                               {"_mj", "_j", {.times = 1e3}},
                                               {"_gb", "_bytes", {.over = 1e9}},
                                               {"_mflop", "_flop", {.over = 1e6}},
                                               {"_pct", "", {.times = 100}},
                                               {"_wh", "_j", {.over = 3600}},
                                               {"_h", "_s", {.over = 3600}},
                                               {"_c", "_celsius"}}};

constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kSiUnits = {
    {{"_s", " (s)"},
     {"_w", " (W)"},
     {"_j", " (J)"},
     {"_hz", " (Hz)"},
     {"_bytes", " (bytes)"},
     {"_flop", " (FLOP)"},
     {"_celsius", " (°C)"}}};

const KeyUnit* unit_of_key(std::string_view key) {
  const auto* found = std::find_if(kKeyUnits.begin(), kKeyUnits.end(),
                                   [&](const KeyUnit& unit) { return key.ends_with(unit.suffix); });
  return found == kKeyUnits.end() ? nullptr : found;
}

}  // namespace

KeyScale scale_of_key(std::string_view key) {
  const KeyUnit* unit = unit_of_key(key);
  return unit == nullptr ? KeyScale() : unit->scale;
}

std::string si_name(std::string_view key) {
  const KeyUnit* unit = unit_of_key(key);
  if (unit == nullptr) return std::string(key);
  return std::string(key.substr(0, key.size() - unit->suffix.size())) + std::string(unit->si);
}

std::string_view si_unit(std::string_view name) {
  for (const auto& [suffix, unit] : kSiUnits) {
    if (name.ends_with(suffix)) return unit;
  }
  return "";
}

Cell cell_of(KeyScale scale, const std::vector<std::string>& values) {
  return cell_of(scale, fmt::format("{}", fmt::join(values, "; ")));
}

Json json_of(const PowerMode& mode) {
  return mode_to_json(mode);
}

Json json_of(const Cell& cell) {
  return std::visit(CellCase{[](std::monostate) { return Json(); },
                             [](const auto& content) { return Json(content); }},
                    cell);
}

std::vector<Column> columns_of_mode(int rank) {
  return knob_columns(rank);
}

std::size_t set_knobs(const PowerMode& mode, std::vector<Cell>& cells, std::size_t at) {
  for (const Knob knob : kKnobs) {
    Cell& cell = cells[at++];
    if (!mode.has(knob))
      cell = Cell();
    else if (knob == Knob::kCpuCores)
      cell = std::int64_t{mode.cpu_cores};
    else
      cell = knob_in_field_unit(mode, knob);
  }
  cells[at++] = mode.governor.empty() ? Cell() : Cell(mode.governor);
  return at;
}

}  // namespace ridgewatt::report
