// A result as a table: data with names and units; how it is printed is decided here and nowhere
// else. Column names are the stable ones of CSV and JSON, unit included ("time_ms"); people read
// headings ("time (ms)"), which are made of the names where a column gives none.
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ridgewatt/io/json.h"

namespace ridgewatt::report {

inline constexpr double kGiga = 1e9;  // FLOP in a GFLOP, as columns have it

using Cell = std::variant<std::monostate, std::string, std::int64_t, double>;
// For std::visit over all kinds of cell: what forgets one does not compile.
template <typename... Cases>
struct CellCase : Cases... {
  using Cases::operator()...;
};
template <typename... Cases>
CellCase(Cases...) -> CellCase<Cases...>;

// Empty when it is NaN: not known.
Cell known_cell(double value);
// Of a cell that holds one.
std::optional<double> cell_number(const Cell& cell);
// The order of a column: numbers, then texts, then nothing.
bool cell_before(const Cell& a, const Cell& b);

inline constexpr int kNominal = 0;  // digits of what is set, not measured: 1300.5 MHz, 204 MHz

struct Column {
  std::string name;           // "time_ms": CSV header and JSON key
  std::string heading = {};   // "time (ms)"; empty: made of the name
  int digits = 4;             // significant digits for people; kNominal: at most 6, no zeros behind
  int rank = 0;               // 0: always on the terminal; else where there is room, lowest first;
                              // columns of one rank come together
  bool wrap = false;          // prose: where it is too long, it goes on in the next line
  double scale = 1;           // people read numbers times this: 100 for a share in %
  bool optional = false;      // where no row fills it, tables for people and JSON leave it out; CSV
                              // keeps it, whose header does not depend on the data
  std::string formerly = {};  // deprecated name: CSV and JSON have the column under it too, at the
                              // end, for one release
  std::string_view meaning = {};  // one sentence: the reference of keys, a tooltip in HTML
};

// "time_lo_ms" is "time from (ms)", "cpu_mhz" is "CPU (MHz)".
std::string column_heading(const Column& column);

// A cell for people: fixed notation with `digits` significant digits where that is readable,
// thousands from 10,000 on in groups; "-" when empty. Text is as it is: escape it for where it
// goes.
std::string cell_text(const Cell& cell, int digits);
std::string cell_text(const Cell& cell, const Column& column);  // in the column's scale

// What the terminal had no room for.
struct TableCut {
  std::vector<std::string> hidden;  // headings
  bool shortened = false;           // a text stands with an ellipsis in its middle
};

class Table {
 public:
  Table() = default;
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  // `row` has one cell per column; monostate prints as "-", empty, null.
  void add_row(std::vector<Cell> row);
  const std::vector<Column>& columns() const { return columns_; }
  const std::vector<std::vector<Cell>>& rows() const { return rows_; }

  // Rows in the order of a column, given by its name or heading (the unit may be left out):
  // "time_ms", "time (ms)", "time"; "-time" and "time:desc" from large to small. Empty cells come
  // last. UsageError that lists the columns when it is none of them.
  void sort(const std::string& order);
  void keep_first(std::size_t count);
  // These columns alone, named as in sort, in this order; all are shown on the terminal. UsageError
  // for one that there is not, and for one that is named twice.
  void keep_columns(const std::vector<std::string>& names);

  // The same without the optional columns that no row fills.
  Table without_empty_columns() const;
  // The same with renamed columns repeated at the end under their former names.
  Table with_former_names() const;

  // Aligned, numbers by their decimal points, text escaped. No line is longer than `width` (0: any)
  // as long as that is 20 or more: headings break in two, columns are hidden by their rank, and at
  // last texts are shortened.
  TableCut print_terminal(std::ostream& out, std::size_t width = 0) const;
  void print_csv(std::ostream& out) const;  // full precision, every column
  std::string csv() const;                  // the same as a text
  Json to_json() const;                     // array of objects, full precision

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace ridgewatt::report
