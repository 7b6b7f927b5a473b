// The rows of a result, each made when it is written: 90,000 rows take the memory of one.
//
//   const Fields<Row> fields = {{column("batch"), [](const Row& row) { return row.batch; }}};
//   const Rows rows = rows_of(fields, found.size(), [&](std::size_t i) { return Row{found[i]}; });
//   write_csv(std::cout, rows);
//   rows.table().print_terminal(std::cout);  // where all must be known: widths, --sort
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
  std::vector<Column> columns;  // optional: those that no row fills
  std::size_t count = 0;
  // Sets one cell per column; safe to call from several threads. What it refers to must outlive the
  // rows.
  std::function<void(std::size_t row, std::vector<Cell>& cells)> fill;

  Table table() const;
};

// `row_at(i)` makes row i.
template <class Row, class RowAt>
Rows rows_of(Fields<Row> fields, std::size_t count, RowAt row_at) {
  Rows rows{columns_of(fields), count, {}};
  rows.fill = [fields = std::move(fields), row_at = std::move(row_at)](
                  std::size_t i, std::vector<Cell>& cells) { set_cells(fields, row_at(i), cells); };
  return rows;
}

// Full precision, every column, as Table::print_csv.
void write_csv(std::ostream& out, const Rows& rows);

// A JSON object one of whose values is a long array, each of whose objects is made when it is
// written. The text is that of dump_json(whole()).
struct StreamedJson {
  Json head;        // with null for the array
  std::string key;  // of the array
  std::size_t count = 0;
  // Sets row `i` of the array; `row` holds the one before, or null.
  std::function<void(std::size_t i, Json& row)> fill;
  // The text of rows `begin` up to `end`, indented as in the whole, with ",\n    " between them; if
  // set, `write` uses it instead of `fill`, from several threads.
  std::function<std::string(std::size_t begin, std::size_t end)> text = {};

  Json whole() const;
  void write(std::ostream& out) const;
};
// The same cells as objects, with the names of the columns as keys, as Table::to_json.
StreamedJson streamed(Json head, std::string key, Rows rows);

}  // namespace ridgewatt::report
