#include "ridgewatt/io/csv_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/plural.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/io/file_kind.h"
#include "ridgewatt/io/shell.h"

namespace ridgewatt {
namespace {

// chosen: ten times the columns of the widest result; each name is compared with all others
constexpr std::size_t kMostColumns = 1000;

// Characters that end a field, or that make its value differ from its text in the file.
constexpr std::array<bool, 256> kSpecial = [] {
  std::array<bool, 256> special{};
  for (const unsigned char c : {',', '\n', '"', '\r', '\0'}) special[c] = true;
  return special;
}();

void refuse_other_kinds(std::string_view begin, const std::string& source) {
  if (!is_other_than_csv(begin)) return;
  const std::string kind(kind_of_content(begin));
  throw InputError("is " + kind + ", not a CSV file", source,
                   begin.starts_with(kSqliteHeader)
                       ? "if it is a store, `ridgewatt store export " + shell_quoted(source) +
                             "` writes its points as CSV"
                       : "");
}

}  // namespace

std::optional<std::size_t> csv_column(const std::vector<std::string>& header,
                                      std::string_view name) {
  auto found = std::find(header.begin(), header.end(), name);
  if (found == header.end()) {
    found = std::find_if(header.begin(), header.end(),
                         [&](const auto& column) { return same_word(column, name); });
  }
  if (found == header.end()) return std::nullopt;
  return static_cast<std::size_t>(found - header.begin());
}

std::size_t require_csv_column(const std::vector<std::string>& header, std::string_view name,
                               const std::string& source) {
  if (const auto index = csv_column(header, name)) return *index;
  const std::string closest = closest_name(name, {header});
  throw InputError(fmt::format("has no column '{}'", name), source,
                   escape_terminal(closest.empty() ? "it has " + joined_names(header)
                                                   : "is it the column '" + closest + "'?"));
}

void refuse_csv_number(std::string_view field, const std::string& where,
                       const std::string& column) {
  const std::string number = escape_terminal(field.substr(0, 40));
  const auto comma = field.find(',');
  const bool decimal = comma != std::string_view::npos && parse_double(field.substr(0, comma)) &&
                       parse_int(field.substr(comma + 1));
  throw InputError(fmt::format("'{}' is not a finite number", number),
                   fmt::format("{} column {}", where, column),
                   decimal ? "write decimals with a point, not a comma" : "");
}

CsvReader::CsvReader(std::string_view text, std::string source)
    : text_(text), source_(std::move(source)) {
  refuse_other_kinds(text_.substr(0, kKindBytes), source_);
  if (text_.substr(0, 3) == "\xEF\xBB\xBF") position_ = 3;
  if (!next_record())
    throw InputError("the CSV file is empty", source_, "its first line must be a header");
  if (fields_.size() == 1 && fields_[0].find(';') != std::string_view::npos) {
    throw InputError("the separator is a semicolon", source_,
                     "separate fields by commas, and write decimals with a point");
  }
  if (fields_.size() == 1 && fields_[0].find('\t') != std::string_view::npos) {
    throw InputError("the separator is a tab", source_, "separate fields by commas");
  }
  if (fields_.size() > kMostColumns) {
    throw InputError(fmt::format("the header has {}, but at most {} are read",
                                 counted(std::ssize(fields_), "column"), kMostColumns),
                     source_);
  }
  for (const auto field : fields_) {
    if (field.empty()) {
      throw InputError(fmt::format("the header has no name for column {}", header_.size() + 1),
                       source_);
    }
    if (column(field)) {
      throw InputError(fmt::format("column '{}' occurs twice", escape_terminal(field)), source_);
    }
    header_.emplace_back(field);
  }
}

bool CsvReader::next() {
  if (!next_record()) return false;
  if (fields_.size() != header_.size()) {
    throw InputError(fmt::format("the row has {}, but the header has {}",
                                 counted(std::ssize(fields_), "field"), header_.size()),
                     where(),
                     fields_.size() > header_.size()
                         ? "write decimals with a point, and a text with a comma in quotes"
                         : "");
  }
  return true;
}

double CsvReader::number(std::size_t column) const {
  const auto value = parse_double(fields_[column]);
  if (value && std::isfinite(*value)) return *value;
  refuse_csv_number(fields_[column], where(), header_[column]);
}

std::string CsvReader::where() const {
  return fmt::format("{} line {}", source_, line_);
}

// Skips blank lines, which are records of one empty field.
bool CsvReader::next_record() {
  while (position_ < text_.size()) {
    line_ = next_line_;
    read_record();
    if (fields_.size() > 1 || !fields_[0].empty()) return true;
  }
  return false;
}

void CsvReader::read_record() {
  fields_.clear();
  kept_.clear();
  while (true) {
    const std::size_t start = position_;
    std::size_t end = start;
    while (end < text_.size() && !kSpecial[static_cast<unsigned char>(text_[end])]) ++end;
    const bool windows_line = text_.substr(end, 2) == "\r\n";
    if (end < text_.size() && !windows_line && text_[end] != ',' && text_[end] != '\n') {
      if (read_unusual_field()) return;
      continue;
    }
    fields_.push_back(trim(text_.substr(start, end - start)));
    if (windows_line) ++end;
    position_ = std::min(end + 1, text_.size());
    if (end == text_.size()) return;
    if (text_[end] == '\n') {
      ++next_line_;
      return;
    }
  }
}

// Reads a field with quotes, carriage returns or NUL bytes one character at a time. Returns true at
// the end of the record.
bool CsvReader::read_unusual_field() {
  std::string& field = kept_.emplace_back();
  bool ended = true;
  while (position_ < text_.size()) {
    const char c = text_[position_++];
    if (c == '\0') throw InputError("is not a CSV file (it contains a NUL byte)", where());
    if (c == '"' && field.empty()) {
      read_quoted(field);
    } else if (c == ',') {
      ended = false;
      break;
    } else if (c == '\n') {
      ++next_line_;
      break;
    } else if (c != '\r') {
      field += c;
    } else if (const auto next = text_.find_first_not_of('\r', position_);
               next != std::string_view::npos && text_[next] != '\n') {
      throw InputError("a carriage return is not at the end of the line", where(),
                       "end each line with a line feed");
    }
  }
  fields_.push_back(trim(field));
  return ended;
}

void CsvReader::read_quoted(std::string& field) {
  const std::string start = fmt::format("{} line {}", source_, next_line_);
  while (position_ < text_.size()) {
    const char c = text_[position_++];
    if (c == '\n') ++next_line_;
    if (c != '"') {
      field += c;
    } else if (position_ < text_.size() && text_[position_] == '"') {
      field += text_[position_++];
    } else {
      return;
    }
  }
  throw InputError("a quote that opens here is never closed", start);
}

void CsvReader::refuse_name(std::size_t column, const NameSet& names) const {
  throw InputError(fmt::format("{}: {} is '{}', not one of {}", where(), header_[column],
                               escape_terminal(fields_[column]), joined_names(names.names)),
                   "", did_you_mean(fields_[column], names));
}

}  // namespace ridgewatt
