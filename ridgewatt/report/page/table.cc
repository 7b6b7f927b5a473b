#include "ridgewatt/report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <mutex>
#include <numeric>
#include <set>
#include <sstream>

#include "ridgewatt/base/contains.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/sort.h"
#include "ridgewatt/base/suggest.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/report/rows.h"

namespace ridgewatt::report {
namespace {

constexpr double kGrouped = 10'000;  // at and above this value, with commas, unless a setting
constexpr double kPrefixed = 1e9;  // at and above this value, with G, T or P unless a whole number
constexpr int kNominalDigits = 6;

// "1234567.5" becomes "1,234,567.5".
std::string with_commas(const std::string& text) {
  const std::size_t begin = text.front() == '-' ? 1 : 0;
  const std::size_t end = std::min(text.find('.'), text.size());
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (at > begin && at < end && (end - at) % 3 == 0) result += ',';
    result += text[at];
  }
  return result;
}

// Fixed-point notation with `digits` significant digits if that is readable.
std::string significant(double value, int digits) {
  const double magnitude = std::abs(value);
  const int shown = digits == kNominal ? kNominalDigits : digits;
  if (!std::isfinite(value) || (magnitude != 0 && magnitude < 1e-4)) {
    return fmt::format("{:.{}g}", value, shown);
  }
  if (magnitude >= kPrefixed) return format_si(value, "", shown);
  const int exponent = magnitude == 0 ? 0 : static_cast<int>(std::floor(std::log10(magnitude)));
  std::string text = fmt::format("{:.{}f}", value, std::max(0, shown - 1 - exponent));
  if (magnitude == 0) return "0";
  if (digits == kNominal && text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return magnitude >= kGrouped - 0.5 && digits != kNominal ? with_commas(text) : text;
}

std::string without_unit(const std::string& heading) {
  const auto unit = heading.rfind(" (");
  return unit == std::string::npos ? heading : heading.substr(0, unit);
}

// `option` is the command-line option that names the column.
std::size_t find_column(const std::vector<Column>& columns, const std::string& wanted,
                        const std::string& option) {
  const auto matches = [&](const auto& text_of) {
    std::vector<std::size_t> found;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (same_word(text_of(columns[c]), wanted)) found.push_back(c);
    }
    return found;
  };
  auto found = matches([](const Column& column) { return std::string(column.name); });
  if (found.empty()) {
    found = matches([](const Column& column) {
      return std::string(column.formerly.empty() ? column.name : column.formerly);
    });
  }
  if (found.empty()) found = matches(column_heading);
  if (found.empty()) {
    found = matches([](const Column& column) { return without_unit(column_heading(column)); });
  }
  if (found.size() == 1) return found.front();
  NameSet names;
  for (const auto& column : columns) names.names.emplace_back(column.name);
  for (const auto& column : columns) {
    names.synonyms.push_back({without_unit(column_heading(column)), std::string(column.name)});
  }
  if (found.empty()) {
    throw UsageError("the table has no column '" + escape_terminal(wanted) + "'", option,
                     did_you_mean(wanted, names, "the columns are " + joined_names(names.names)));
  }
  throw UsageError("several columns of the table have this heading", option + " " + wanted,
                   "the columns are " + joined_names(names.names));
}

// Numbers come before texts, and texts before empty cells.
int kind_of(const Cell& cell) {
  if (std::holds_alternative<std::monostate>(cell)) return 2;
  return std::holds_alternative<std::string>(cell) ? 1 : 0;
}

bool before(const Cell& a, const Cell& b, bool descending) {
  const int kind = kind_of(a);
  if (kind != kind_of(b)) return kind < kind_of(b);
  if (kind == 2) return false;
  if (kind == 1) {
    const int order = std::get<std::string>(a).compare(std::get<std::string>(b));
    return descending ? order > 0 : order < 0;
  }
  const double x = cell_number(a).value(), y = cell_number(b).value();
  if (std::isnan(x) || std::isnan(y)) return !std::isnan(x) && std::isnan(y);
  return descending ? x > y : x < y;
}

}  // namespace

Cell known_cell(double value) {
  return std::isnan(value) ? Cell() : Cell(value);
}

Cell known_cell(const std::optional<double>& value, double scale) {
  return value ? Cell(*value * scale) : Cell();
}

Json known_json(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

Json known_json(const std::optional<double>& value, double scale) {
  return value ? known_json(*value * scale) : Json();
}

std::optional<double> cell_number(const Cell& cell) {
  using Number = std::optional<double>;
  return std::visit(
      CellCase{[](std::monostate) { return Number(); }, [](const std::string&) { return Number(); },
               [](std::int64_t whole) { return Number(static_cast<double>(whole)); },
               [](double number) { return Number(number); }},
      cell);
}

bool cell_before(const Cell& a, const Cell& b) {
  return before(a, b, false);
}

std::string cell_text(const Cell& cell, int digits) {
  return std::visit(CellCase{[](std::monostate) { return std::string("-"); },
                             [](const std::string& text) { return text; },
                             [&](std::int64_t whole) {
                               const std::string text = fmt::format("{}", whole);
                               const bool grouped =
                                   std::abs(static_cast<double>(whole)) >= kGrouped;
                               return grouped && digits != kNominal ? with_commas(text) : text;
                             },
                             [&](double number) { return significant(number, digits); }},
                    cell);
}

std::string cell_text(const Cell& cell, const Column& column) {
  if (column.scale == 1) return cell_text(cell, column.digits);
  const auto number = cell_number(cell);
  return cell_text(number ? Cell(*number * column.scale) : cell, column.digits);
}

Label::Label(std::string_view text) {
  static std::mutex mutex;
  static auto& kept = *new std::set<std::string, std::less<>>();  // never destroyed
  const std::lock_guard lock(mutex);
  auto found = kept.find(text);
  if (found == kept.end()) found = kept.emplace(text).first;
  text_ = found->c_str();
}

Cell CellView::cell() const {
  switch (kind_) {
    case kNumber:
      return as_.number;
    case kCount:
      return as_.count;
    case kLiteral:
      return std::string(as_.literal);
    case kText:
      return std::string(as_.text);
    case kCell:
      break;
  }
  return *as_.cell;
}

void Table::add_row(std::initializer_list<CellView> row) {
  std::vector<Cell> cells;
  cells.reserve(row.size());
  for (const CellView& view : row) cells.push_back(view.cell());
  add_row(std::move(cells));
}

void Table::add_row(std::vector<Cell> row) {
  if (row.size() != columns_.size())
    throw UsageError("a row of the table has the wrong number of cells");
  for (Cell& cell : row) {
    const double* number = std::get_if<double>(&cell);
    if (number != nullptr && !std::isfinite(*number)) cell = Cell();
  }
  rows_.push_back(std::move(row));
}

void Table::sort(const std::string& order) {
  std::string name = order;
  bool descending = false;
  if (name.starts_with('-')) {
    descending = true;
    name.erase(0, 1);
  } else if (name.ends_with(":desc") || name.ends_with(":asc")) {
    descending = name.ends_with(":desc");
    name.erase(name.rfind(':'));
  }
  const std::size_t by = find_column(columns_, name, "--sort");
  std::vector<std::size_t> places(rows_.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  sort_stably(places, [&](std::size_t a, std::size_t b) {
    return before(rows_[a][by], rows_[b][by], descending);
  });
  std::vector<std::vector<Cell>> rows;
  rows.reserve(rows_.size());
  for (const std::size_t place : places) rows.push_back(std::move(rows_[place]));
  rows_ = std::move(rows);
}

void Table::keep_columns(const std::vector<std::string>& names) {
  std::vector<std::size_t> kept;
  for (const auto& name : names) {
    const std::size_t column = find_column(columns_, name, "--columns");
    if (contains(kept, column)) {
      throw UsageError("--columns names a column twice", name);
    }
    kept.push_back(column);
  }
  const auto chosen = [&](const auto& all) {
    std::decay_t<decltype(all)> some;
    for (const std::size_t column : kept) some.push_back(all[column]);
    return some;
  };
  columns_ = chosen(columns_);
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    Column& column = columns_[c];
    if (same_word(column.formerly, names[c])) column.name = column.formerly;
    column.formerly = {};
    column.rank = 0;
    column.optional = false;
  }
  for (auto& row : rows_) row = chosen(row);
}

Table Table::without_empty_columns() const {
  std::vector<std::size_t> kept;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const bool filled = std::any_of(rows_.begin(), rows_.end(), [&](const auto& row) {
      return !std::holds_alternative<std::monostate>(row[c]);
    });
    if (filled || !columns_[c].optional) kept.push_back(c);
  }
  if (kept.size() == columns_.size()) return *this;
  Table table;
  for (const std::size_t c : kept) table.columns_.push_back(columns_[c]);
  for (const auto& row : rows_) {
    auto& cells = table.rows_.emplace_back();
    for (const std::size_t c : kept) cells.push_back(row[c]);
  }
  return table;
}

Table Table::with_former_names() const {
  Table table = *this;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (columns_[c].formerly.empty()) continue;
    table.columns_.push_back(columns_[c]);
    table.columns_.back().name = columns_[c].formerly;
    for (auto& row : table.rows_) row.push_back(row[c]);
  }
  return table;
}

void Table::keep_first(std::size_t count) {
  if (count < rows_.size()) rows_.resize(count);
}

void Table::print_csv(std::ostream& out) const {
  const Table table = with_former_names();
  write_csv(out, {table.columns_, rows_.size(),
                  [&](std::size_t row, std::vector<Cell>& cells) { cells = table.rows_[row]; }});
}

std::string Table::csv() const {
  std::ostringstream text;
  print_csv(text);
  return text.str();
}

Json Table::to_json() const {
  const Table table = without_empty_columns().with_former_names();
  Json result = Json::array();
  for (const auto& row : table.rows_) {
    Json object = Json::object();
    for (std::size_t c = 0; c < row.size(); ++c) {
      auto& value = object[std::string(table.columns_[c].name)];
      std::visit(CellCase{[&](std::monostate) { value = nullptr; },
                          [&](const auto& content) { value = content; }},
                 row[c]);
    }
    result.push_back(std::move(object));
  }
  return result;
}

}  // namespace ridgewatt::report
