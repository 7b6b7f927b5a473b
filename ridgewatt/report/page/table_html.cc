#include "ridgewatt/report/page/table_html.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "ridgewatt/base/text.h"

namespace ridgewatt::report {
namespace {

std::string cell_html(const Cell& cell, const Column& column) {
  const std::string text = escape_html(cell_text(cell, column));
  return std::visit(CellCase{[](std::monostate) { return std::string("<td class=\"n\">-</td>"); },
                             [&](const std::string&) { return fmt::format("<td>{}</td>", text); },
                             [&](auto number) {
                               return fmt::format("<td class=\"n\" data-v=\"{}\">{}</td>", number,
                                                  text);
                             }},
                    cell);
}

bool is_numeric(const Table& table, std::size_t column) {
  return std::none_of(table.rows().begin(), table.rows().end(), [column](const auto& row) {
    return std::holds_alternative<std::string>(row[column]);
  });
}

Json column_block(const Table& table, std::size_t column) {
  const auto cell = [&](std::size_t row) -> const Cell& { return table.rows()[row][column]; };
  std::vector<std::size_t> order(table.rows().size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return cell_before(cell(a), cell(b)); });
  Json texts = Json::array();
  std::vector<std::int64_t> places(order.size(), -1);
  const Cell* last = nullptr;
  for (const std::size_t row : order) {
    if (std::holds_alternative<std::monostate>(cell(row))) break;  // empty cells come last
    if (last == nullptr || cell_before(*last, cell(row))) {
      texts.push_back(escape_terminal(cell_text(cell(row), table.columns()[column])));
    }
    last = &cell(row);
    places[row] = static_cast<std::int64_t>(texts.size()) - 1;
  }
  return json_object(
      {{"texts", texts}, {"places", places}, {"numeric", is_numeric(table, column)}});
}

}  // namespace

Json table_block(const Table& table) {
  Json columns = Json::array();
  for (std::size_t c = 0; c < table.columns().size(); ++c) {
    columns.push_back(column_block(table, c));
  }
  return json_object(
      {{"rows", table.rows().size()}, {"page", kPageRows}, {"columns", std::move(columns)}});
}

std::string script_json(const Json& json) {
  std::string text;
  for (const char c : json.dump(-1, ' ', false, Json::error_handler_t::replace)) {
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  }
  return text;
}

std::string table_html(const Table& whole, const std::string& id) {
  const Table table = whole.without_empty_columns();
  std::string text = fmt::format("<div class=\"scroll\" tabindex=\"0\"><table{}><thead><tr>",
                                 id.empty() ? "" : fmt::format(" data-table=\"{}\"", id));
  for (std::size_t c = 0; c < table.columns().size(); ++c) {
    const Column& column = table.columns()[c];
    text += fmt::format("<th tabindex=\"0\" scope=\"col\"{}>{}</th>",
                        is_numeric(table, c) ? " class=\"n\"" : "",
                        escape_html(column_heading(column)));
  }
  text += "</tr></thead>\n<tbody>\n";
  const std::size_t count = table.rows().size(), shown = std::min(count, kPageRows);
  for (std::size_t r = 0; r < shown; ++r) {
    text += id.empty() ? "<tr>" : fmt::format("<tr data-row=\"{}\">", r);
    const auto& row = table.rows()[r];
    for (std::size_t c = 0; c < row.size(); ++c) {
      text += cell_html(row[c], table.columns()[c]);
    }
    text += "</tr>\n";
  }
  text += "</tbody></table></div>\n";
  if (shown == count) return text;
  return text + fmt::format(
                    "<p class=\"cut\">The first {} of {} rows; the others need JavaScript.</p>\n"
                    "<script type=\"application/json\" class=\"rows\">{}</script>\n",
                    shown, count, script_json(table_block(table)));
}

}  // namespace ridgewatt::report
