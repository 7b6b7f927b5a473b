// The rows of a result, created one at a time while they are written, so that 90,000 rows need the
// memory of one row.
//
//   const Fields<Row> fields = {{column("batch"), [](const Row& row) { return row.batch; }}};
//   const Rows rows = rows_of(fields, found.size(), [&](std::size_t i) { return Row{found[i]}; });
//   write_csv(std::cout, rows);
//   rows.table().print_terminal(std::cout);  // where all rows are needed: column widths, --sort
#pragma once

#include <cstddef>
#include <functional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "ridgewatt/io/json.h"
#include "ridgewatt/report/field.h"
#include "ridgewatt/report/table.h"

namespace ridgewatt::report {

struct Rows {
  std::vector<Column> columns;  // a column that no row fills is marked as optional
  std::size_t count = 0;
  // Sets one cell per column. May be called from several threads. Objects to which it refers must
  // outlive the rows.
  std::function<void(std::size_t row, std::vector<Cell>& cells)> fill;

  Table table() const;
};

// `row_at(i)` returns row i.
template <class Row, class RowAt>
Rows rows_of(Fields<Row> fields, std::size_t count, RowAt row_at) {
  Rows rows{columns_of(fields), count, {}};
  rows.fill = [fields = std::move(fields), row_at = std::move(row_at)](
                  std::size_t i, std::vector<Cell>& cells) { set_cells(fields, row_at(i), cells); };
  return rows;
}

// Writes all columns in full precision, like Table::print_csv.
void write_csv(std::ostream& out, const Rows& rows);

// A JSON object with a long array whose elements are created while they are written. The text is
// identical to dump_json(whole()).
struct StreamedJson {
  Json head;        // with null in place of the array
  std::string key;  // of the array
  std::size_t count = 0;
  // Sets row `i` of the array; on entry `row` contains the row of the previous call, or null.
  // Several threads may call it unless `add_text` is set.
  std::function<void(std::size_t i, Json& row)> fill;
  // Appends the text of rows `begin` up to `end`, indented as in the complete text, with ",\n    "
  // between them. If set, it is used instead of `fill`, from several threads.
  std::function<void(std::size_t begin, std::size_t end, std::string& text)> add_text = {};
  // Adds keys that follow those of `head`. Called after all rows are filled, so that the keys can
  // summarize the rows.
  std::function<void(Json& json)> add_rest = {};

  Json whole() const;
  void write(std::ostream& out) const;
};
// The cells of `rows` as JSON objects with the column names as keys, like Table::to_json.
StreamedJson streamed(Json head, std::string key, Rows rows);

}  // namespace ridgewatt::report
