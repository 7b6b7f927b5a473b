#include "ridgewatt/report/columns.h"

#include <algorithm>

#include "ridgewatt/base/error.h"

namespace ridgewatt::report {

Table with_origin(const Table& table, const std::vector<RowOrigin>& origins) {
  const std::size_t rows = table.rows().size();
  if (origins.size() != 1 && origins.size() != rows) {
    throw UsageError("the result must have one provenance, or one per row");
  }
  std::vector<Column> columns = table.columns();
  const auto has = [&](std::string_view name) {
    return std::any_of(table.columns().begin(), table.columns().end(),
                       [&](const Column& column) { return column.name == name; });
  };
  for (const auto& field : origin_fields({})) {
    if (!has(field.name)) columns.push_back({.name = std::string(field.name), .optional = true});
  }
  Table result(std::move(columns));
  for (std::size_t row = 0; row < rows; ++row) {
    std::vector<Cell> cells = table.rows()[row];
    for (const auto& field : origin_fields(origins[origins.size() == 1 ? 0 : row])) {
      if (!has(field.name)) cells.push_back(field.value.empty() ? Cell() : Cell(field.value));
    }
    result.add_row(std::move(cells));
  }
  return result;
}

void add_origin(Json& object, const RowOrigin& origin) {
  for (const auto& field : origin_fields(origin)) {
    const std::string name(field.name);
    if (!field.value.empty() && !object.contains(name)) object[name] = field.value;
  }
}

}  // namespace ridgewatt::report
