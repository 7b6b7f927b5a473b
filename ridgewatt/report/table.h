// A result as a table of values with column names and units, and its formatting. Column names are
// stable, include the unit ("time_ms"), and are used in CSV and JSON. The terminal and HTML show
// headings ("time (ms)"), which are derived from the names unless a column has its own.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ridgewatt/io/json.h"

namespace ridgewatt::report {

inline constexpr double kGiga = 1e9;  // FLOP per GFLOP, for columns
inline constexpr double kMebibyte = 1024.0 * 1024, kGibibyte = 1024 * kMebibyte;

using Cell = std::variant<std::monostate, std::string, std::int64_t, double>;
// A cell of a new row. It refers to its text, so no texts are created and destroyed. The
// constructors are implicit (NOLINT).
class CellView {
 public:
  CellView(double value) : kind_(kNumber), as_{.number = value} {}         // NOLINT
  CellView(const char* text) : kind_(kLiteral), as_{.literal = text} {}    // NOLINT
  CellView(const std::string& text) : CellView(std::string_view(text)) {}  // NOLINT
  CellView(std::string_view text) : kind_(kText), as_{.text = text} {}     // NOLINT
  CellView(const Cell& cell) : kind_(kCell), as_{.cell = &cell} {}         // NOLINT
  template <class Count>
  requires(std::integral<Count> && !std::same_as<Count, bool>) CellView(Count value)
      : kind_(kCount), as_{.count = static_cast<std::int64_t>(value)} {}  // NOLINT
  Cell cell() const;

 private:
  enum Kind { kNumber, kCount, kLiteral, kText, kCell } kind_;
  union {
    double number;
    std::int64_t count;
    const char* literal;
    std::string_view text;
    const Cell* cell;
  } as_;
};
// For std::visit over all types of a cell. A missing case is a compile error.
template <typename... Cases>
struct CellCase : Cases... {
  using Cases::operator()...;
};
template <typename... Cases>
CellCase(Cases...) -> CellCase<Cases...>;

// An empty cell if the value is NaN, which means unknown.
Cell known_cell(double value);
// The value times `scale`, in another unit.
Cell known_cell(const std::optional<double>& value, double scale = 1);
// The same for JSON: null if the value is NaN, infinite or missing.
Json known_json(double value);
Json known_json(const std::optional<double>& value, double scale = 1);
template <class T>
Json known_json(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}
// The number in a cell; empty for other cells.
std::optional<double> cell_number(const Cell& cell);
// The sort order of a column: numbers, then texts, then empty cells.
bool cell_before(const Cell& a, const Cell& b);

inline constexpr int kNominal = 0;  // digits of settings: 1300.5 MHz, 204 MHz

// The name or heading of a column. It refers to a literal. Other texts are kept until the program
// ends, each distinct one once.
class Label {
 public:
  constexpr Label() = default;
  template <std::size_t kSize>
  constexpr Label(const char (&literal)[kSize]) : text_(literal) {}  // NOLINT
  Label(std::string_view text);                                      // NOLINT
  Label(const std::string& text) : Label(std::string_view(text)) {}  // NOLINT
  std::string_view view() const { return text_ == nullptr ? std::string_view() : text_; }
  operator std::string_view() const { return view(); }  // NOLINT
  bool empty() const { return view().empty(); }
  friend bool operator==(const Label& a, std::string_view b) { return a.view() == b; }

 private:
  const char* text_ = nullptr;
};

struct Column {
  Label name;          // "time_ms": CSV header and JSON key
  Label heading = {};  // "time (ms)"; empty: derived from the name
  int digits = 4;      // significant digits in tables; kNominal: up to 6, without trailing zeros
  // 0: always on the terminal. Other columns are shown if there is space, the lowest rank first.
  // Columns of the same rank are shown together.
  int rank = 0;
  bool wrap = false;  // for sentences: long texts continue on the next line
  double scale = 1;   // factor on numbers in tables: 100 for a share in %
  // Tables and JSON omit the column if no row has a value. CSV keeps the column, because its header
  // does not depend on the data.
  bool optional = false;
  // Deprecated name. For one release, CSV and JSON repeat the column under this name at the end.
  Label formerly = {};
  Label meaning = {};  // one sentence, for the reference of keys and HTML tooltips
};

// "time_lo_ms" becomes "time from (ms)", "cpu_mhz" becomes "CPU (MHz)".
std::string column_heading(const Column& column);

// A cell for the terminal or HTML: fixed notation with `digits` significant digits if that is
// readable, digit groups from 10,000 on, "-" if empty. Texts are not escaped.
std::string cell_text(const Cell& cell, int digits);
std::string cell_text(const Cell& cell, const Column& column);  // with the scale of the column

// The parts of a table that did not fit on the terminal.
struct TableCut {
  std::vector<std::string> hidden;  // headings
  bool shortened = false;           // the middle of a text was replaced by an ellipsis
};

class Table {
 public:
  Table() = default;
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  // `row` has one cell per column. An empty cell (monostate) is "-" on the terminal, empty in CSV,
  // null in JSON.
  void add_row(std::vector<Cell> row);
  void add_row(std::initializer_list<CellView> row);
  const std::vector<Column>& columns() const { return columns_; }
  const std::vector<std::vector<Cell>>& rows() const { return rows_; }

  // Sorts by a column, given by name or by heading with or without unit: "time_ms", "time (ms)",
  // "time". "-time" and "time:desc" sort from large to small. Empty cells come last. Throws
  // UsageError that lists the columns if there is no such column.
  void sort(const std::string& order);
  void keep_first(std::size_t count);
  // Keeps only these columns, in this order; names are as in sort(). All of them are shown on the
  // terminal. Throws UsageError for an unknown or repeated column.
  void keep_columns(const std::vector<std::string>& names);

  // A copy without the optional columns that no row fills.
  Table without_empty_columns() const;
  // A copy in which renamed columns are repeated at the end under their former names.
  Table with_former_names() const;

  // Prints aligned columns, numbers aligned by decimal point, with texts escaped. No line is longer
  // than `width` if that is at least 20; 0: no limit. To fit, headings are broken in two, columns
  // are hidden by rank, and finally texts are shortened.
  TableCut print_terminal(std::ostream& out, std::size_t width = 0) const;
  void print_csv(std::ostream& out) const;  // full precision, all columns
  std::string csv() const;                  // the same output as a string
  Json to_json() const;                     // array of objects, full precision

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace ridgewatt::report
