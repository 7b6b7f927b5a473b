#include "ridgewatt/base/csv.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/file.h"
#include "ridgewatt/base/text.h"

namespace ridgewatt {
namespace {

// Splits text into records; `line` is kept at the physical line for messages.
class Reader {
 public:
  Reader(std::string_view text, const std::string& source) : text_(text), source_(source) {
    if (text_.substr(0, 3) == "\xEF\xBB\xBF") position_ = 3;
  }

  // False at the end. A record of one empty field (a blank line) is skipped.
  bool next(std::vector<std::string>& fields, std::size_t& line) {
    while (position_ < text_.size()) {
      fields.clear();
      line = line_;
      read_record(fields);
      if (fields.size() > 1 || !fields[0].empty()) return true;
    }
    return false;
  }

 private:
  void read_record(std::vector<std::string>& fields) {
    fields.emplace_back();
    while (position_ < text_.size()) {
      const char c = text_[position_++];
      if (c == '\0') throw InputError("holds a NUL byte, is not a CSV file", here());
      if (c == '"' && fields.back().empty()) {
        read_quoted(fields.back());
      } else if (c == ',') {
        fields.emplace_back();
      } else if (c == '\n') {
        ++line_;
        break;
      } else if (c != '\r') {
        fields.back() += c;
      }
    }
    for (auto& field : fields) field = std::string(trim(field));
  }

  void read_quoted(std::string& field) {
    const std::string start = here();
    while (position_ < text_.size()) {
      const char c = text_[position_++];
      if (c == '\n') ++line_;
      if (c != '"') {
        field += c;
      } else if (position_ < text_.size() && text_[position_] == '"') {
        field += text_[position_++];
      } else {
        return;
      }
    }
    throw InputError("quote is never closed", start);
  }

  std::string here() const { return fmt::format("{} line {}", source_, line_); }

  std::string_view text_;
  const std::string& source_;
  std::size_t position_ = 0;
  std::size_t line_ = 1;
};

}  // namespace

std::optional<std::size_t> CsvTable::column(std::string_view name) const {
  const auto found = std::find(header.begin(), header.end(), name);
  if (found == header.end()) return std::nullopt;
  return static_cast<std::size_t>(found - header.begin());
}

std::size_t CsvTable::require_column(std::string_view name) const {
  if (const auto index = column(name)) return *index;
  throw InputError(
      fmt::format("no column '{}'", name), source,
      fmt::format("it has {}", escape_terminal(fmt::format("{}", fmt::join(header, ", ")))));
}

double CsvTable::number(std::size_t row, std::size_t column) const {
  const auto value = parse_double(rows[row][column]);
  if (value && std::isfinite(*value)) return *value;
  throw InputError(
      fmt::format("'{}' is not a finite number", escape_terminal(rows[row][column].substr(0, 40))),
      fmt::format("{} column {}", where(row), header[column]));
}

std::string CsvTable::where(std::size_t row) const {
  return fmt::format("{} line {}", source, lines[row]);
}

CsvTable parse_csv(std::string_view text, const std::string& source) {
  CsvTable table;
  table.source = source;
  Reader reader(text, table.source);
  std::vector<std::string> fields;
  std::size_t line = 0;
  if (!reader.next(fields, line)) throw InputError("file is empty", source, "a header is needed");
  table.header = fields;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].empty()) throw InputError(fmt::format("column {} has no name", i + 1), source);
    if (std::find(fields.begin(), fields.begin() + static_cast<std::ptrdiff_t>(i), fields[i]) !=
        fields.begin() + static_cast<std::ptrdiff_t>(i)) {
      throw InputError(fmt::format("column '{}' occurs twice", escape_terminal(fields[i])), source);
    }
  }
  while (reader.next(fields, line)) {
    if (fields.size() != table.header.size()) {
      throw InputError(
          fmt::format("{} fields where the header has {}", fields.size(), table.header.size()),
          fmt::format("{} line {}", source, line));
    }
    table.rows.push_back(fields);
    table.lines.push_back(line);
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
