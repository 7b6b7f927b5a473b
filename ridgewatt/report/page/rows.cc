#include "ridgewatt/report/rows.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "ridgewatt/base/parallel.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/io/csv.h"

namespace ridgewatt::report {
namespace {

constexpr std::size_t kBlock = 1 << 16;  // bytes; chosen: far more than a row, less than a result
constexpr std::size_t kPart = 256;       // rows; chosen: about 100 kB of text

// A buffer that writes text in blocks.
class Blocks {
 public:
  explicit Blocks(std::ostream& out) : out_(out) {}
  fmt::memory_buffer& text() { return text_; }
  void add(std::string_view part) { text_.append(part.data(), part.data() + part.size()); }
  void end_row() {
    if (text_.size() >= kBlock) flush();
  }
  void flush() {
    out_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
    text_.clear();
  }

 private:
  std::ostream& out_;
  fmt::memory_buffer text_;
};

// Unlike ==, distinguishes 0 from -0, and treats equal NaNs as equal.
bool same_text(const Cell& a, const Cell& b) {
  const auto* x = std::get_if<double>(&a);
  const auto* y = std::get_if<double>(&b);
  if (x != nullptr && y != nullptr) {
    return std::bit_cast<std::uint64_t>(*x) == std::bit_cast<std::uint64_t>(*y);
  }
  return a == b;
}

// Appends the text of a cell. Escapes control characters in texts. A number that is not finite is
// empty.
void append_csv(const Cell& cell, std::string& part) {
  const auto append_number = [&](auto number) {
    std::array<char, 32> digits;  // a double has at most 24 characters
    part.append(digits.data(), fmt::format_to(digits.data(), FMT_COMPILE("{}"), number));
  };
  std::visit(CellCase{[](std::monostate) {},
                      [&](const std::string& content) {
                        const bool plain = std::all_of(content.begin(), content.end(), [](char c) {
                          return c >= 0x20 && c < 0x7F && c != ',' && c != '"';
                        });
                        if (plain) {
                          part += content;
                        } else {
                          part += csv_field(escape_terminal(content));
                        }
                      },
                      [&](std::int64_t whole) { append_number(whole); },
                      [&](double number) {
                        if (std::isfinite(number)) append_number(number);
                      }},
             cell);
}

// Adds the rows from `begin` up to `end`.
void add_csv(const Rows& rows, std::size_t begin, std::size_t end, std::string& part) {
  const std::size_t count = rows.columns.size();
  std::vector<Cell> cells(count), written(count);
  // Where the texts of the columns end in the row written before, and in this one. Each text ends
  // with its comma or line end.
  std::vector<std::size_t> ends(count), next(count);
  std::size_t row = part.size(), row_before = row;  // where they begin
  for (std::size_t i = begin; i < end; ++i) {
    rows.fill(i, cells);
    row_before = std::exchange(row, part.size());
    for (std::size_t c = 0; c < count;) {
      // Boards, clocks and names rarely change between rows, so their texts are copied.
      const std::size_t first = c, from = part.size();
      while (i > begin && c < count && same_text(cells[c], written[c])) ++c;
      if (c > first) {
        const std::size_t start = first > 0 ? ends[first - 1] : row_before;
        part.append(part, start, ends[c - 1] - start);
        for (std::size_t k = first; k < c; ++k) next[k] = ends[k] + from - start;
      } else {
        append_csv(cells[c], part);
        part += c + 1 < count ? ',' : '\n';
        next[c++] = part.size();
      }
    }
    written.swap(cells);
    ends.swap(next);
  }
}

// The same text as dump_json.
std::string json_text(const Cell& cell) {
  return std::visit(CellCase{[](std::monostate) { return dump_json(nullptr); },
                             [](const auto& content) { return dump_json(content); }},
                    cell);
}

// Adds the rows from `begin` up to `end` as objects of an array inside an object.
void add_json(const Rows& rows, std::size_t begin, std::size_t end, std::string& part) {
  std::vector<std::string> keys;
  for (const auto& column : rows.columns) {
    keys.push_back((keys.empty() ? "\n      " : ",\n      ") + dump_json(column.name) + ": ");
    if (column.optional) keys.pop_back();
  }
  std::vector<Cell> cells(rows.columns.size()), written(rows.columns.size());
  std::vector<std::string> texts(rows.columns.size(), json_text({}));
  for (std::size_t i = begin; i < end; ++i) {
    rows.fill(i, cells);
    part += i > begin ? ",\n    {" : "{";
    auto key = keys.begin();
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (rows.columns[c].optional) continue;
      if (!same_text(cells[c], written[c])) texts[c] = json_text(cells[c]);
      part += *key++;
      part += texts[c];
    }
    part += keys.empty() ? "}" : "\n    }";
    written.swap(cells);
  }
}

// Builds the texts of `count` rows in parts on several threads and passes the parts to `take` in
// order. While one round is built, the previous round is taken. Buffers are reused, because the
// system would first clear the memory of new ones.
template <class AddText, class Take>
void in_parts(std::size_t count, const AddText& add_text, const Take& take) {
  const int threads = count > kPart ? available_threads() : 1;
  const std::size_t parts = threads > 1 ? 16 * static_cast<std::size_t>(threads) : 1;
  std::vector<std::string> made(parts), next(parts);
  const auto take_made = [&] {
    for (const auto& part : made) {
      if (!part.empty()) take(part);
    }
  };
  for (std::size_t begin = 0; begin < count; begin += parts * kPart) {
    parallel_for(
        parts + 1,
        [&](std::size_t i) {
          if (i == 0) return take_made();
          const std::size_t from = std::min(begin + (i - 1) * kPart, count);
          next[i - 1].clear();
          add_text(from, std::min(from + kPart, count), next[i - 1]);
        },
        threads);
    made.swap(next);
  }
  take_made();
}

// Indents JSON. Line ends in its texts are escaped, so every line end is part of the format.
std::string indented(std::string_view json, std::string_view indent) {
  std::string text;
  for (const char c : json) {
    text += c;
    if (c == '\n') text += indent;
  }
  return text;
}

}  // namespace

Table Rows::table() const {
  Table table(columns);
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<Cell> cells(columns.size());
    fill(i, cells);
    table.add_row(std::move(cells));
  }
  return table;
}

void write_csv(std::ostream& out, const Rows& rows) {
  std::string header;
  for (const auto& column : rows.columns) {
    header += (header.empty() ? "" : ",") + csv_field(column.name);
  }
  out << header << '\n';
  in_parts(
      rows.count,
      [&](std::size_t begin, std::size_t end, std::string& part) {
        add_csv(rows, begin, end, part);
      },
      [&](const std::string& part) { out << part; });
}

Json StreamedJson::whole() const {
  Json json = head;
  Json& array = json[key] = Json::array();
  Json row;
  for (std::size_t i = 0; i < count; ++i) {
    fill(i, row);
    array.push_back(row);
  }
  if (add_rest) add_rest(json);
  return json;
}

void StreamedJson::write(std::ostream& out) const {
  Blocks blocks(out);
  blocks.add("{");
  std::string_view before = "\n  ";
  const auto add_key = [&](std::string_view name) {
    blocks.add(before);
    before = ",\n  ";
    blocks.add(dump_json(name));
    blocks.add(": ");
  };
  const auto add_value = [&](std::string_view name, const Json& value) {
    add_key(name);
    blocks.add(indented(dump_json(value), "  "));
  };
  for (const auto& [name, value] : head.items()) {
    if (name != key) {
      add_value(name, value);
      continue;
    }
    add_key(name);
    blocks.add("[");
    std::string_view between = "\n    ";
    const auto add_rows = [&](std::string_view rows) {
      blocks.add(between);
      between = ",\n    ";
      blocks.add(rows);
      blocks.end_row();
    };
    const auto add_filled = [&](std::size_t begin, std::size_t end, std::string& part) {
      Json row;
      for (std::size_t i = begin; i < end; ++i) {
        fill(i, row);
        if (i > begin) part += ",\n    ";
        part += indented(dump_json(row), "    ");
      }
    };
    in_parts(count, add_text ? add_text : add_filled, add_rows);
    blocks.add(count > 0 ? "\n  ]" : "]");
  }
  if (add_rest) {
    Json rest = Json::object();
    add_rest(rest);
    for (const auto& [name, value] : rest.items()) add_value(name, value);
  }
  blocks.add("\n}");
  blocks.flush();
}

StreamedJson streamed(Json head, std::string key, Rows rows) {
  StreamedJson json{std::move(head), std::move(key), rows.count, {}};
  const auto shared = std::make_shared<const Rows>(std::move(rows));
  json.add_text = [shared](std::size_t begin, std::size_t end, std::string& part) {
    add_json(*shared, begin, end, part);
  };
  json.fill = [shared, cells = std::vector<Cell>()](std::size_t i, Json& row) mutable {
    cells.resize(shared->columns.size());
    shared->fill(i, cells);
    if (row.is_null()) {
      for (const auto& column : shared->columns) {
        if (!column.optional) row[std::string(column.name)] = nullptr;
      }
    }
    auto value = row.begin();
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (shared->columns[c].optional) continue;
      std::visit(CellCase{[&](std::monostate) { *value = nullptr; },
                          [&](const auto& content) { *value = content; }},
                 cells[c]);
      ++value;
    }
  };
  return json;
}

}  // namespace ridgewatt::report
