#include "ridgewatt/report/html_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <span>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/io/embedded.h"
#include "ridgewatt/report/chart/figure_data.h"
#include "ridgewatt/report/page/table_html.h"
#include "ridgewatt/report/svg.h"

namespace ridgewatt::report {
namespace {

constexpr std::string_view kCharts = "echarts.min.js.gz";
constexpr double kNarrow = 360;  // width of static figures on a phone, in pixels

std::string_view web_file(std::string_view name) {
  for (const auto& file : embedded::web()) {
    if (file.name == name) return file.content;
  }
  return {};
}

std::string web_files(std::initializer_list<std::string_view> names) {
  std::string text;
  for (const auto name : names) text += web_file(name);
  return text;
}

// The shape that represents a series in a legend.
const char* legend_shape(const LegendEntry& entry) {
  if (entry.mark == Mark::kPoints) return "dot";
  if (entry.mark == Mark::kBand) return "area";
  return entry.dashed ? "dashed" : "line";
}

// For a heat map, the color bar with the values at its ends; for other figures, the series names.
std::string legend_html(const Figure& figure) {
  if (const auto* map = std::get_if<HeatMap>(&figure)) {
    const auto range = color_range(*map);
    if (!range) return "";
    std::string stops;
    for (int i = 0; i <= 4; ++i) stops += "," + ramp_color(i / 4.0);
    return fmt::format(
        "<p class=\"ramp\">{}: <b data-lo=\"{}\">{}</b><i "
        "style=\"background:linear-gradient(90deg{})\">"
        "</i><b data-hi=\"{}\">{}</b>{}</p>\n",
        escape_html(map->value_label), range->lo, cell_text(range->lo, 3), stops, range->hi,
        cell_text(range->hi, 3), range->clipped ? " and more" : "");
  }
  const auto legend = figure_legend(figure);
  if (legend.empty()) return "";
  std::string text = "<ul class=\"legend\">";
  for (const auto& entry : legend) {
    text += fmt::format("<li data-series=\"{0}\"><i class=\"{1}\" style=\"color:{2}\"></i>{0}</li>",
                        escape_html(entry.name), legend_shape(entry), escape_html(entry.color));
  }
  return text + "</ul>\n";
}

std::string scalar_html(const Json& value) {
  if (value.is_null()) return "-";
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_number_integer()) return fmt::format("{}", value.get<std::int64_t>());
  if (value.is_number()) return fmt::format("{:.6g}", value.get<double>());
  if (value.is_string()) return escape_html(value.get<std::string>());
  return "";
}

std::string tree_html(const Json& value, int depth) {
  constexpr int kOpenDepth = 1;       // deeper levels are folded
  constexpr std::size_t kMost = 200;  // entries per level
  if (!value.is_structured()) return "<span>" + scalar_html(value) + "</span>";
  std::string text = "<ul>";
  std::size_t count = 0;
  for (const auto& [key, child] : value.items()) {
    if (count++ == kMost) {
      text += fmt::format("<li>{} of {} entries shown</li>", kMost, value.size());
      break;
    }
    const std::string name = escape_html(value.is_array() ? std::to_string(count) : key);
    if (!child.is_structured()) {
      text += fmt::format("<li><b>{}</b> {}</li>", name, scalar_html(child));
    } else if (child.empty()) {
      text += fmt::format("<li><b>{}</b> none</li>", name);
    } else {
      text += fmt::format(
          "<li><details{}><summary>{} <small>({})</small></summary>{}</details></li>",
          depth < kOpenDepth ? " open" : "", name, child.size(), tree_html(child, depth + 1));
    }
  }
  return text + "</ul>";
}

std::string figure_html(const Figure& figure, int linked_table, std::size_t id) {
  const FigureHead head = figure_head(figure);
  std::string text = fmt::format(
      "<figure class=\"chart\" data-chart=\"{0}\" data-links=\"{1}\" aria-labelledby=\"t{0}\">\n"
      "<figcaption id=\"t{0}\"><strong>{2}</strong><span>{3}</span>{4}</figcaption>\n{5}",
      id, linked_table, escape_html(head.title), escape_html(head.source),
      head.note.empty() ? "" : "<span class=\"note\">" + escape_html(head.note) + "</span>",
      legend_html(figure));
  text += fmt::format(
      "<div class=\"live\" style=\"height:{}px\" role=\"img\" aria-label=\"{}\"></div>\n",
      chart_height(figure), escape_html(head.title + ". " + head.source));
  text += "<div class=\"still wide\">" + to_svg(figure, {.head = false}) + "</div>\n";
  text += "<div class=\"still narrow\">" + to_svg(figure, {.width = kNarrow, .head = false}) +
          "</div>\n";
  const FigureData data = figure_data(figure, linked_table >= 0);
  if (!data.table.rows().empty()) {
    text += fmt::format("<details><summary>{}</summary>\n{}</details>\n", escape_html(data.caption),
                        table_html(data.table, ""));
  }
  return text + "</figure>\n";
}

Json cell_json(const Cell& cell) {
  return std::visit(CellCase{[](std::monostate) { return Json(); },
                             [](const auto& value) { return Json(value); }},
                    cell);
}

Json figure_json(const Figure& figure) {
  const FigureHead head = figure_head(figure);
  Json json{{"title", head.title}, {"source", head.source}, {"note", head.note}};
  json["legend"] = Json::array();
  for (const auto& entry : figure_legend(figure)) {
    json["legend"].push_back(
        json_object({{"name", entry.name}, {"color", entry.color}, {"mark", legend_shape(entry)}}));
  }
  json["height"] = chart_height(figure);
  json["option"] = to_echarts(figure);
  const FigureData data = figure_data(figure);
  Json columns = Json::array(), rows = Json::array();
  for (const auto& column : data.table.columns()) columns.push_back(column_heading(column));
  for (const auto& row : data.table.rows()) {
    Json cells = Json::array();
    for (const auto& cell : row) cells.push_back(cell_json(cell));
    rows.push_back(std::move(cells));
  }
  json["data"] = json_object({{"caption", data.caption}, {"columns", columns}, {"rows", rows}});
  return json;
}

}  // namespace

bool has_interactive_charts() {
  return !web_file(kCharts).empty();
}

void HtmlReport::end_charts() {
  if (in_charts_) body_ += "</div>\n";
  in_charts_ = false;
}

void HtmlReport::heading(std::string_view text) {
  end_charts();
  body_ += fmt::format("<h2>{}</h2>\n", escape_html(text));
}

void HtmlReport::paragraph(std::string_view text) {
  end_charts();
  body_ += fmt::format("<p>{}</p>\n", escape_html(text));
}

void HtmlReport::lead(std::string_view text) {
  end_charts();
  body_ += fmt::format("<p class=\"lead\">{}</p>\n", escape_html(text));
}

void HtmlReport::facts(const std::vector<Fact>& facts) {
  end_charts();
  body_ += "<dl class=\"facts\">\n";
  for (const auto& fact : facts) {
    body_ +=
        fmt::format("<div><dt>{}</dt><dd>{}</dd>", escape_html(fact.name), escape_html(fact.value));
    if (!fact.remark.empty()) body_ += fmt::format("<dd>{}</dd>", escape_html(fact.remark));
    body_ += "</div>\n";
  }
  body_ += "</dl>\n";
}

void HtmlReport::tree(const Json& json) {
  end_charts();
  body_ += "<div class=\"tree\">" + tree_html(json, 0) + "</div>\n";
}

int HtmlReport::table(std::string_view caption, const Table& table) {
  end_charts();
  const int id = tables_++;
  body_ += fmt::format("<figure class=\"table\"><figcaption>{}</figcaption>\n{}</figure>\n",
                       escape_html(caption), table_html(table, fmt::format("{}", id)));
  return id;
}

void HtmlReport::figure(const Figure& figure, int linked_table) {
  if (!in_charts_) body_ += "<div class=\"charts\">\n";
  in_charts_ = true;
  shown_.push_back({figure, linked_table, body_.size()});
}

Json HtmlReport::figures() const {
  Json figures = Json::array();
  for (const auto& shown : shown_) figures.push_back(figure_json(shown.figure));
  return figures;
}

std::string HtmlReport::svg(std::size_t number) const {
  if (shown_.empty())
    throw NotFoundError("the results have no figures", "",
                        "write HTML, or give results that have figures");
  if (shown_.size() < number) {
    throw NotFoundError(fmt::format("there is no figure {} (--figure)", number), "",
                        fmt::format("the results have figures 1 to {}", shown_.size()));
  }
  if (number > 0) return to_svg(shown_[number - 1].figure);
  std::vector<Figure> figures;
  for (const auto& shown : shown_) figures.push_back(shown.figure);
  return to_svg(figures, title_);
}

std::string HtmlReport::html() const {
  std::string body;
  std::size_t copied = 0;
  for (std::size_t i = 0; i < shown_.size(); ++i) {
    const Shown& shown = shown_[i];
    body += body_.substr(copied, shown.place - copied);
    body += figure_html(shown.figure, shown.linked_table, i);
    copied = shown.place;
  }
  body += body_.substr(copied) + (in_charts_ ? "</div>\n" : "");
  std::string text = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{0}</title>\n<style>\n{1}</style>\n</head>\n<body>\n<header><h1>{0}</h1>"
      "<button id=\"theme\" type=\"button\">light / dark</button></header>\n<main>\n{2}</main>\n",
      escape_html(title_), web_files({"theme.css", "report.css"}), body);
  if (has_interactive_charts() && !shown_.empty()) {
    text += "<script type=\"application/json\" id=\"options\">[";
    for (std::size_t i = 0; i < shown_.size(); ++i) {
      text += (i > 0 ? ",\n" : "") + script_json(to_echarts(shown_[i].figure));
    }
    text += fmt::format("]</script>\n<script>{}</script>\n", unpacked(web_file(kCharts)));
  }
  text += fmt::format("<script>\n{}</script>\n</body>\n</html>\n",
                      web_files({"charts.js", "table.js", "report.js"}));
  return text;
}

}  // namespace ridgewatt::report
