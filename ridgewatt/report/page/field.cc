#include "ridgewatt/report/field.h"

#include <algorithm>
#include <array>
#include <utility>

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

namespace {

struct ToJson {
  KeyScale scale;
  Json operator()(double value) const { return scale(value); }
  Json operator()(const std::optional<double>& value) const {
    return value ? Json(scale(*value)) : Json();
  }
  Json operator()(std::string_view value) const { return value.empty() ? Json() : Json(value); }
  Json operator()(const std::string& value) const { return (*this)(std::string_view(value)); }
  Json operator()(const PowerMode& mode) const { return mode_to_json(mode); }
  Json operator()(const Cell& cell) const {
    return std::visit(CellCase{[](std::monostate) { return Json(); },
                               [](const auto& content) { return Json(content); }},
                      cell);
  }
  Json operator()(const auto& value) const { return value; }
};

// The text in a cell, empty.
std::string& emptied_text(Cell& cell) {
  auto* text = std::get_if<std::string>(&cell);
  if (text == nullptr) return cell.emplace<std::string>();
  text->clear();
  return *text;
}

struct ToCells {
  KeyScale scale;
  std::vector<Cell>& cells;
  std::size_t at;

  std::size_t operator()(double value) const { return set(scale(value)); }
  std::size_t operator()(const std::optional<double>& value) const {
    return set(value ? Cell(scale(*value)) : Cell());
  }
  std::size_t operator()(std::int64_t value) const { return set(value); }
  std::size_t operator()(int value) const { return set(std::int64_t{value}); }
  std::size_t operator()(bool value) const {
    return (*this)(std::string_view(value ? "yes" : "no"));
  }
  std::size_t operator()(std::string_view text) const {
    if (text.empty()) return set(Cell());
    // Most texts are those of an earlier row.
    if (const auto* known = std::get_if<std::string>(&cells[at]); known && *known == text) {
      return at + 1;
    }
    emptied_text(cells[at]) = text;
    return at + 1;
  }
  std::size_t operator()(const std::string& text) const { return (*this)(std::string_view(text)); }
  template <class Text>
  std::size_t operator()(const std::vector<Text>& texts) const {
    if (texts.empty()) return set(Cell());
    std::string& joined = emptied_text(cells[at]);
    for (const auto& text : texts) {
      if (&text != &texts.front()) joined += "; ";
      joined += text;
    }
    return joined.empty() ? set(Cell()) : at + 1;
  }
  std::size_t operator()(const PowerMode& mode) const {
    std::size_t next = at;
    for (const Knob knob : kKnobs) {
      Cell& cell = cells[next++];
      if (!mode.has(knob))
        cell = Cell();
      else if (knob == Knob::kCpuCores)
        cell = std::int64_t{mode.cpu_cores};
      else
        cell = knob_in_field_unit(mode, knob);
    }
    return ToCells{scale, cells, next}(std::string_view(mode.governor));
  }
  std::size_t operator()(const Json&) const { return set(Cell()); }
  std::size_t operator()(const Cell& cell) const { return set(cell); }

 private:
  template <class Value>
  std::size_t set(Value value) const {
    cells[at] = std::move(value);
    return at + 1;
  }
};

}  // namespace

Json json_of(KeyScale scale, const FieldValue& value) {
  return std::visit(ToJson{scale}, value);
}

std::size_t set_cells_of(KeyScale scale, const FieldValue& value, std::vector<Cell>& cells,
                         std::size_t at) {
  return std::visit(ToCells{scale, cells, at}, value);
}

std::vector<Column> columns_of_mode(int rank) {
  return knob_columns(rank);
}

}  // namespace ridgewatt::report
