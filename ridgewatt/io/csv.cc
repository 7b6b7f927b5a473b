#include "ridgewatt/io/csv.h"

#include <fmt/format.h>

#include <cmath>

#include "ridgewatt/base/text.h"
#include "ridgewatt/io/csv_reader.h"
#include "ridgewatt/io/file.h"

namespace ridgewatt {

std::optional<std::size_t> CsvTable::column(std::string_view name) const {
  return csv_column(header, name);
}

std::size_t CsvTable::require_column(std::string_view name) const {
  return require_csv_column(header, name, source);
}

double CsvTable::number(std::size_t row, std::size_t column) const {
  const auto value = parse_double(rows[row][column]);
  if (value && std::isfinite(*value)) return *value;
  refuse_csv_number(rows[row][column], where(row), header[column]);
}

std::string CsvTable::where(std::size_t row) const {
  return fmt::format("{} line {}", source, lines[row]);
}

CsvTable parse_csv(std::string_view text, const std::string& source) {
  CsvReader reader(text, source);
  CsvTable table;
  table.source = source;
  table.header = reader.header();
  while (reader.next()) {
    auto& row = table.rows.emplace_back();
    row.reserve(table.header.size());
    for (std::size_t c = 0; c < table.header.size(); ++c) row.emplace_back(reader.field(c));
    table.lines.push_back(reader.line());
  }
  return table;
}

CsvTable read_csv(const std::string& path) {
  return parse_csv(read_file(path), path);
}

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

}  // namespace ridgewatt
