#include "ridgewatt/report/html_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "ridgewatt/base/embedded.h"
#include "ridgewatt/base/text.h"

namespace ridgewatt {
namespace embedded {
std::span<const EmbeddedFile> web();
}  // namespace embedded

namespace {

constexpr std::string_view kCharts = "echarts.min.js";

std::string_view web_file(std::string_view name) {
  for (const auto& file : embedded::web()) {
    if (file.name == name) return file.content;
  }
  return {};
}

// JSON that cannot end the script element around it, whatever its texts hold.
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

std::string cell_html(const Cell& cell, const Column& column) {
  const std::string text = escape_html(cell_text(cell, column));
  if (std::holds_alternative<std::string>(cell)) return fmt::format("<td>{}</td>", text);
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) {
    return fmt::format("<td class=\"n\" data-v=\"{}\">{}</td>", *whole, text);
  }
  if (const auto* number = std::get_if<double>(&cell)) {
    return fmt::format("<td class=\"n\" data-v=\"{}\">{}</td>", *number, text);
  }
  return "<td class=\"n\">-</td>";
}

bool is_numeric(const Table& table, std::size_t column) {
  return std::none_of(table.rows().begin(), table.rows().end(), [column](const auto& row) {
    return std::holds_alternative<std::string>(row[column]);
  });
}

}  // namespace

bool has_interactive_charts() {
  return !web_file(kCharts).empty();
}

void HtmlReport::heading(std::string_view text) {
  body_ += fmt::format("<h2>{}</h2>\n", escape_html(text));
}

void HtmlReport::paragraph(std::string_view text) {
  body_ += fmt::format("<p>{}</p>\n", escape_html(text));
}

int HtmlReport::table(std::string_view caption, const Table& table) {
  const int id = tables_++;
  body_ += fmt::format(
      "<figure class=\"table\"><figcaption>{}</figcaption>\n<div class=\"scroll\">"
      "<table data-table=\"{}\"><thead><tr>",
      escape_html(caption), id);
  for (std::size_t c = 0; c < table.columns().size(); ++c) {
    const Column& column = table.columns()[c];
    body_ += fmt::format("<th tabindex=\"0\" scope=\"col\"{}>{}</th>",
                         is_numeric(table, c) ? " class=\"n\"" : "",
                         escape_html(column_heading(column)));
  }
  body_ += "</tr></thead>\n<tbody>\n";
  for (std::size_t r = 0; r < table.rows().size(); ++r) {
    body_ += fmt::format("<tr data-row=\"{}\">", r);
    const auto& row = table.rows()[r];
    for (std::size_t c = 0; c < row.size(); ++c) {
      body_ += cell_html(row[c], table.columns()[c]);
    }
    body_ += "</tr>\n";
  }
  body_ += "</tbody></table></div></figure>\n";
  return id;
}

void HtmlReport::figure(const Figure& figure, int linked_table) {
  const double height = std::visit([](const auto& f) { return f.height; }, figure);
  body_ += fmt::format(
      "<figure class=\"chart\" data-chart=\"{}\" data-links=\"{}\" "
      "data-height=\"{}\">\n{}</figure>\n",
      options_.size(), linked_table, height, to_svg(figure));
  options_.push_back(script_json(to_echarts(figure)));
}

std::string HtmlReport::html() const {
  std::string text = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{0}</title>\n<style>\n{1}</style>\n</head>\n<body>\n<header><h1>{0}</h1>"
      "<button id=\"theme\" type=\"button\">light / dark</button></header>\n<main>\n{2}</main>\n",
      escape_html(title_), web_file("report.css"), body_);
  if (has_interactive_charts() && !options_.empty()) {
    text += "<script type=\"application/json\" id=\"options\">[";
    for (std::size_t i = 0; i < options_.size(); ++i) text += (i > 0 ? ",\n" : "") + options_[i];
    text += fmt::format("]</script>\n<script>{}</script>\n", web_file(kCharts));
  }
  text += fmt::format("<script>\n{}</script>\n</body>\n</html>\n", web_file("report.js"));
  return text;
}

}  // namespace ridgewatt
