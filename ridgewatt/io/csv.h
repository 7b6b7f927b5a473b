// Parses comma-separated values with a header line (RFC 4180 quoting). Strict: an error names the
// file, line and column.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ridgewatt {

struct CsvTable {
  std::string source;                          // file name for messages
  std::vector<std::string> header;             // trimmed column names, unique
  std::vector<std::vector<std::string>> rows;  // every row has header.size() fields
  std::vector<std::size_t> lines;              // line number of each row in the file, from 1

  std::optional<std::size_t> column(std::string_view name) const;
  // Returns the index of the column. Throws InputError, which lists the columns, if there is none.
  std::size_t require_column(std::string_view name) const;
  // Returns the finite number in a field. Throws InputError for other text.
  double number(std::size_t row, std::size_t column) const;
  // "FILE line N", for messages.
  std::string where(std::size_t row) const;
};

// Throws InputError for empty text, a duplicate or empty column name, a row with too few or too
// many fields, an unterminated quote, or a NUL byte. Skips a byte order mark and blank lines.
CsvTable parse_csv(std::string_view text, const std::string& source);
CsvTable read_csv(const std::string& path);

// Quotes a field if RFC 4180 requires it.
std::string csv_field(std::string_view text);

}  // namespace ridgewatt
