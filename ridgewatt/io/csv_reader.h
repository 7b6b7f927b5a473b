// Reads a CSV file row by row, for files of any length: only one row is in memory. It is as strict
// as csv.h.
//
//   CsvReader csv(text, path);
//   const std::size_t time = csv.require_column("time_ms");
//   while (csv.next()) sum += csv.number(time);
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/base/suggest.h"

namespace ridgewatt {

// The index of a column in a header; empty if there is none.
std::optional<std::size_t> csv_column(const std::vector<std::string>& header,
                                      std::string_view name);
// Like csv_column, but throws InputError with the file and its columns if there is none.
std::size_t require_csv_column(const std::vector<std::string>& header, std::string_view name,
                               const std::string& source);
// Throws InputError for a field that is not a finite number; `where` is "FILE line N".
[[noreturn]] void refuse_csv_number(std::string_view field, const std::string& where,
                                    const std::string& column);

class CsvReader {
 public:
  // Reads the header. `text` must outlive the reader. Throws InputError like parse_csv.
  CsvReader(std::string_view text, std::string source);

  const std::string& source() const { return source_; }
  const std::vector<std::string>& header() const { return header_; }
  std::optional<std::size_t> column(std::string_view name) const {
    return csv_column(header_, name);
  }
  std::size_t require_column(std::string_view name) const {
    return require_csv_column(header_, name, source_);
  }

  // Advances to the next row; returns false at the end. Throws InputError like parse_csv.
  bool next();
  // A field of the current row, trimmed; valid until next().
  std::string_view field(std::size_t column) const { return fields_[column]; }
  std::size_t line() const { return line_; }  // of the current row in the file, from 1
  // Returns the finite number in a column. Throws InputError for other text.
  double number(std::size_t column) const;
  // Returns the enum value whose name is in a column. Throws InputError for an unknown name.
  template <typename E>
  E named(std::size_t column) const {
    if (const auto value = find_word<E>(fields_[column])) return *value;
    refuse_name(column, name_set<E>());
  }
  // "FILE line N", for messages.
  std::string where() const;

 private:
  [[noreturn]] void refuse_name(std::size_t column, const NameSet& names) const;
  bool next_record();
  void read_record();
  bool read_unusual_field();
  void read_quoted(std::string& field);

  std::string_view text_;
  std::string source_;
  std::vector<std::string> header_;
  std::vector<std::string_view> fields_;
  std::deque<std::string> kept_;  // fields that are no part of `text_`, such as quoted ones
  std::size_t position_ = 0;
  std::size_t line_ = 1, next_line_ = 1;
};

}  // namespace ridgewatt
