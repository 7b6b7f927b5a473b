#include "ridgewatt/report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/csv.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"

namespace ridgewatt {
namespace {

// Fixed notation with `digits` significant digits where that is readable.
std::string significant(double value, int digits) {
  const double magnitude = std::abs(value);
  if (!std::isfinite(value) || (magnitude != 0 && (magnitude < 1e-4 || magnitude >= 1e12))) {
    return fmt::format("{:.{}g}", value, digits);
  }
  const int exponent = magnitude == 0 ? 0 : static_cast<int>(std::floor(std::log10(magnitude)));
  return fmt::format("{:.{}f}", value, std::max(0, digits - 1 - exponent));
}

// Columns that a string takes on the terminal, one a code point.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

}  // namespace

Cell known_cell(double value) {
  return std::isnan(value) ? Cell() : Cell(value);
}

std::string cell_text(const Cell& cell, int digits) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return fmt::format("{}", *whole);
  if (const auto* number = std::get_if<double>(&cell)) return significant(*number, digits);
  return "-";
}

void Table::add_row(std::vector<Cell> row) {
  if (row.size() != columns_.size()) throw UsageError("table row has the wrong number of cells");
  rows_.push_back(std::move(row));
}

void Table::print_terminal(std::ostream& out) const {
  std::vector<std::vector<std::string>> lines(1);
  std::vector<bool> numeric(columns_.size(), true);
  for (const auto& column : columns_) {
    lines[0].push_back(column.heading.empty() ? column.name : column.heading);
  }
  for (const auto& row : rows_) {
    lines.emplace_back();
    for (std::size_t c = 0; c < row.size(); ++c) {
      lines.back().push_back(escape_terminal(cell_text(row[c], columns_[c].digits)));
      if (std::holds_alternative<std::string>(row[c])) numeric[c] = false;
    }
  }
  std::vector<std::size_t> widths(columns_.size(), 0);
  for (const auto& line : lines) {
    for (std::size_t c = 0; c < line.size(); ++c) widths[c] = std::max(widths[c], width(line[c]));
  }
  for (const auto& line : lines) {
    std::string text;
    for (std::size_t c = 0; c < line.size(); ++c) {
      const std::string padding(widths[c] - width(line[c]), ' ');
      text += (c > 0 ? "  " : "") + (numeric[c] ? padding + line[c] : line[c] + padding);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out << text << '\n';
  }
}

void Table::print_csv(std::ostream& out) const {
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    out << (c > 0 ? "," : "") << csv_field(columns_[c].name);
  }
  out << '\n';
  for (const auto& row : rows_) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (c > 0) out << ',';
      if (const auto* text = std::get_if<std::string>(&row[c]))
        out << csv_field(*text);
      else if (const auto* whole = std::get_if<std::int64_t>(&row[c]))
        out << *whole;
      else if (const auto* number = std::get_if<double>(&row[c]))
        out << format_exact(*number);
    }
    out << '\n';
  }
}

Json Table::to_json() const {
  Json result = Json::array();
  for (const auto& row : rows_) {
    Json object = Json::object();
    for (std::size_t c = 0; c < row.size(); ++c) {
      auto& value = object[columns_[c].name];
      if (const auto* text = std::get_if<std::string>(&row[c]))
        value = *text;
      else if (const auto* whole = std::get_if<std::int64_t>(&row[c]))
        value = *whole;
      else if (const auto* number = std::get_if<double>(&row[c]))
        value = *number;
      else
        value = nullptr;
    }
    result.push_back(std::move(object));
  }
  return result;
}

}  // namespace ridgewatt
