// A result as a table: data with names and units; how it is printed is decided here and nowhere
// else. Column names are the stable ones of CSV and JSON, unit included ("time_ms").
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <variant>
#include <vector>

#include "ridgewatt/base/json.h"

namespace ridgewatt {

inline constexpr double kGiga = 1e9;  // FLOP in a GFLOP, as columns have it

using Cell = std::variant<std::monostate, std::string, std::int64_t, double>;

// Empty when it is NaN: nothing told it.
Cell known_cell(double value);

struct Column {
  std::string name;          // "time_ms": CSV header and JSON key
  std::string heading = {};  // "time (ms)": terminal heading; empty: the name
  int digits = 4;            // significant digits on the terminal
};

// A cell for people: fixed notation with `digits` significant digits where that is readable; "-"
// when empty. Text is as it is: escape it for where it goes.
std::string cell_text(const Cell& cell, int digits);

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  // `row` has one cell a column; monostate prints as "-", empty, null.
  void add_row(std::vector<Cell> row);
  const std::vector<Column>& columns() const { return columns_; }
  const std::vector<std::vector<Cell>>& rows() const { return rows_; }

  void print_terminal(std::ostream& out) const;  // aligned, numbers to the right, text escaped
  void print_csv(std::ostream& out) const;       // full precision
  Json to_json() const;                          // array of objects, full precision

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace ridgewatt
