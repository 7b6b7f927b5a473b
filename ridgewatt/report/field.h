// Declares a quantity of a result once: key, heading, digits, rank, meaning and getter. The
// terminal table, CSV, JSON, HTML, the Python attribute and the reference of keys are derived from
// this declaration.
//
//   const Fields<Row> fields = {
//       {{.name = "stall_ms", .rank = 3, .meaning = "time in which the device waits for data"},
//        [](const Row& row) { return row.stall_s; }}};
//   write_json(fields, row, json);  // json["stall_ms"]; in Python row.stall_s
//
// A getter returns a value in SI units. The suffix of the key determines the unit that is written,
// for example 1e3 times the value for _ms. A getter that returns a Cell returns the value in the
// written unit; see `at<&Row::member>` and the templates after it. A getter that returns a
// string_view, or a list of them, returns texts of the row or constants, which a cell takes without
// an allocation.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/device/power_mode.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/report/keys.h"
#include "ridgewatt/report/table.h"

namespace ridgewatt::report {

template <class Row>
using Getter =
    std::variant<double (*)(const Row&), std::optional<double> (*)(const Row&), int (*)(const Row&),
                 std::int64_t (*)(const Row&), bool (*)(const Row&), std::string (*)(const Row&),
                 std::string_view (*)(const Row&), std::vector<std::string> (*)(const Row&),
                 std::vector<std::string_view> (*)(const Row&), PowerMode (*)(const Row&),
                 Json (*)(const Row&), Cell (*)(const Row&)>;

// Where a field is shown.
enum Shown : unsigned {
  kOnTable = 1,  // terminal tables and CSV
  kInJson = 2,
  kInPython = 4,
  kEverywhere = kOnTable | kInJson | kInPython,
};
constexpr Shown operator|(Shown a, Shown b) {
  return static_cast<Shown>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}

// Converts from SI to the unit of a key: multiplies by `times` and divides by `over`. A division by
// 1000 is exact, a multiplication by 0.001 is not.
struct KeyScale {
  double times = 1, over = 1;
  double operator()(double si) const { return times * si / over; }
};
KeyScale scale_of_key(std::string_view key);
// The name in SI units: "stall_s" for "stall_ms".
std::string si_name(std::string_view key);
// The unit of a name in SI units, " (s)"; empty: no unit.
std::string_view si_unit(std::string_view name);

template <class Row>
struct Field {
  Column column;  // for a power mode, its rank is the rank of the knob columns
  Getter<Row> get;
  Shown shown = kEverywhere;
  // Whether a row has the value. If not, JSON omits the key and the cell is empty. Python always
  // calls the getter. Null: every row has it.
  bool (*has)(const Row& row) = nullptr;
  std::string_view python = {};  // name of the Python attribute; empty: si_name() of the key
  KeyScale scale = scale_of_key(column.name);
};
template <class Row>
using Fields = std::vector<Field<Row>>;

template <class Row>
void append(Fields<Row>& fields, const Fields<Row>& more) {
  fields.insert(fields.end(), more.begin(), more.end());
}

// What a getter returns: one type for all rows, so that the code below is compiled only once.
using FieldValue = std::variant<double, std::optional<double>, int, std::int64_t, bool, std::string,
                                std::string_view, std::vector<std::string>,
                                std::vector<std::string_view>, PowerMode, Json, Cell>;
template <class Row>
FieldValue value_of(const Field<Row>& field, const Row& row) {
  const auto value = [&](auto get) {
    return FieldValue(std::in_place_type<decltype(get(row))>, get(row));
  };
  return std::visit(value, field.get);
}
Json json_of(KeyScale scale, const FieldValue& value);
// Sets the cell `at`, or for a mode the cells of its knobs from there on, and returns the next
// index. Texts reuse the memory of the text that the cell has. Lists are joined ("a; b"). Objects
// appear only in JSON.
std::size_t set_cells_of(KeyScale scale, const FieldValue& value, std::vector<Cell>& cells,
                         std::size_t at);

// Adds the fields of a row to `json`. Existing keys do not change.
template <class Row>
void write_json(const Fields<Row>& fields, const Row& row, Json& json) {
  for (const Field<Row>& field : fields) {
    const bool shown = (field.shown & kInJson) != 0 && !field.column.optional;
    if (!shown || (field.has != nullptr && !field.has(row))) continue;
    json.emplace(std::string(field.column.name), json_of(field.scale, value_of(field, row)));
  }
}

template <class Row>
Json json_list(const Fields<Row>& fields, const std::vector<Row>& rows) {
  Json list = Json::array();
  for (const Row& row : rows) write_json(fields, row, list.emplace_back(Json::object()));
  return list;
}

// The result refers to `fields`, which must outlive it.
template <class Row>
std::vector<KeyMeaning> keys_of(const Fields<Row>& fields, std::string_view object = {}) {
  std::vector<KeyMeaning> keys;
  for (const auto& field : fields) {
    if ((field.shown & kInJson) == 0) continue;
    keys.push_back({field.column.name, field.column.meaning, object});
  }
  return keys;
}

inline constexpr std::size_t kCellsOfMode = kKnobs.size() + 1;  // the knobs and the governor
template <class Row>
bool is_mode(const Field<Row>& field) {
  return std::holds_alternative<PowerMode (*)(const Row&)>(field.get);
}

// Writes a row into the cells of columns_of(fields).
template <class Row>
void set_cells(const Fields<Row>& fields, const Row& row, std::vector<Cell>& cells) {
  std::size_t at = 0;
  for (const Field<Row>& field : fields) {
    if ((field.shown & kOnTable) == 0) continue;
    if (field.has != nullptr && !field.has(row)) {
      for (std::size_t n = is_mode(field) ? kCellsOfMode : 1; n > 0; --n) cells[at++] = Cell();
    } else if (const auto* number = std::get_if<double (*)(const Row&)>(&field.get)) {
      cells[at++] = field.scale((*number)(row));  // most cells of long results
    } else {
      at = set_cells_of(field.scale, value_of(field, row), cells, at);
    }
  }
}

std::vector<Column> columns_of_mode(int rank);  // same as knob_columns
// The columns of the fields that tables show. A power mode has one column per knob.
template <class Row>
std::vector<Column> columns_of(const Fields<Row>& fields) {
  std::vector<Column> columns;
  for (const Field<Row>& field : fields) {
    if ((field.shown & kOnTable) == 0) continue;
    if (!is_mode(field)) {
      columns.push_back(field.column);
      continue;
    }
    for (auto& knob : columns_of_mode(field.column.rank)) columns.push_back(std::move(knob));
  }
  return columns;
}

template <class Row>
Table table_of(const Fields<Row>& fields, const std::vector<Row>& rows) {
  Table table(columns_of(fields));
  for (const Row& row : rows) {
    std::vector<Cell> cells(table.columns().size());
    set_cells(fields, row, cells);
    table.add_row(std::move(cells));
  }
  return table;
}

// A value as a cell: an enum by its name, a bool as "yes" or "no"; empty without a value.
template <class Value>
Cell plain_cell(const Value& value) {
  if constexpr (std::is_same_v<Value, bool>) {
    return std::string(value ? "yes" : "no");
  } else if constexpr (std::is_enum_v<Value>) {
    return std::string(name_of(value));
  } else if constexpr (std::is_integral_v<Value>) {
    return static_cast<std::int64_t>(value);
  } else if constexpr (std::is_floating_point_v<Value>) {
    return double{value};
  } else {
    return std::string(value);
  }
}
template <class Value>
Cell plain_cell(const std::optional<Value>& value) {
  return value ? plain_cell(*value) : Cell();
}
inline Cell text_or_empty(const std::string& text) {
  return text.empty() ? Cell() : Cell(text);
}

template <class Member>
struct RowOfMember;
template <class Row, class Value>
struct RowOfMember<Value Row::*> {
  using Type = Row;
};
template <auto kMember>
using RowOf = typename RowOfMember<decltype(kMember)>::Type;

// A getter of a member of the row, or of a nested member: at<&Row::stages, &Stages::fetch_s>.
template <auto kMember, auto... kRest>
inline constexpr Cell (*at)(const RowOf<kMember>&) =
    [](const RowOf<kMember>& row) { return plain_cell(((row.*kMember).*....*kRest)); };
// Like `at`, multiplied by an integer: 1000 for ms, 100 for percent.
template <int kTimes, auto kMember, auto... kRest>
inline constexpr Cell (*times)(const RowOf<kMember>&) = [](const RowOf<kMember>& row) {
  const auto number = cell_number(plain_cell(((row.*kMember).*....*kRest)));
  return number ? Cell(kTimes * *number) : Cell();
};
// Like `at`, for a text; an empty text is an empty cell.
template <auto kMember, auto... kRest>
inline constexpr Cell (*text_in)(const RowOf<kMember>&) =
    [](const RowOf<kMember>& row) { return text_or_empty(((row.*kMember).*....*kRest)); };

}  // namespace ridgewatt::report
