#include "ridgewatt/report/origin_columns.h"

#include <algorithm>

#include "ridgewatt/base/error.h"

namespace ridgewatt::report {

Table with_origin(const Table& table, const std::vector<RowOrigin>& origins) {
  const std::size_t rows = table.rows().size();
  if (origins.size() != 1 && origins.size() != rows) {
    throw UsageError("a table needs one origin, or one per row");
  }
  const OriginFields fields(origins);
  std::vector<Column> columns = table.columns();
  std::vector<std::size_t> added;
  for (std::size_t i = 0; i < fields.names().size(); ++i) {
    const auto& name = fields.names()[i];
    const bool there = std::any_of(table.columns().begin(), table.columns().end(),
                                   [&](const Column& column) { return column.name == name; });
    if (there) continue;
    columns.push_back({name});
    added.push_back(i);
  }
  Table result(std::move(columns));
  for (std::size_t row = 0; row < rows; ++row) {
    std::vector<Cell> cells = table.rows()[row];
    const auto values = fields.values(origins[origins.size() == 1 ? 0 : row]);
    for (const auto i : added) cells.push_back(values[i].empty() ? Cell() : Cell(values[i]));
    result.add_row(std::move(cells));
  }
  return result;
}

void add_origin(Json& object, const RowOrigin& origin) {
  const OriginFields fields({origin});
  const auto values = fields.values(origin);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!object.contains(fields.names()[i])) object[fields.names()[i]] = values[i];
  }
}

}  // namespace ridgewatt::report
