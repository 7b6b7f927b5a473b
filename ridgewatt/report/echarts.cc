// Figures as ECharts options. Colours of text and lines come from the page's theme; tooltips are
// drawn as rich text, so names from a model never become HTML.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ridgewatt/report/axis.h"
#include "ridgewatt/report/figure.h"
#include "ridgewatt/report/svg.h"

namespace ridgewatt {
namespace {

// Enough digits for the eye, and a third of the bytes.
Json number(double value) {
  if (!std::isfinite(value)) return nullptr;
  return std::stod(fmt::format("{:.6g}", value));
}

Json base_option(const std::string& title) {
  return {{"title", {{"text", title}, {"left", "center"}, {"textStyle", {{"fontSize", 14}}}}},
          {"animation", false},
          {"backgroundColor", "transparent"},
          {"grid", {{"left", 70}, {"right", 30}, {"top", 72}, {"bottom", 56}}},
          {"legend", {{"top", 26}, {"type", "scroll"}}},
          {"tooltip", {{"renderMode", "richText"}, {"confine", true}}}};
}

Json axis_option(const Axis& axis, bool vertical) {
  Json json = {{"type", axis.log ? "log" : "value"},
               {"name", axis.label},
               {"nameLocation", "middle"},
               {"nameGap", vertical ? 48 : 30},
               {"scale", true},
               {"minorSplitLine", {{"show", axis.log}}}};
  if (axis.lo) json["min"] = number(*axis.lo);
  if (axis.hi) json["max"] = number(*axis.hi);
  return json;
}

Json category_axis(const std::string& label, const Json& names, bool vertical) {
  return {{"type", "category"},
          {"name", label},
          {"nameLocation", "middle"},
          {"nameGap", vertical ? 56 : 30},
          // At most a dozen names, evenly spaced.
          {"axisLabel", {{"interval", names.empty() ? 0 : (names.size() - 1) / 12}}},
          {"data", names}};
}

Json level_names(const std::vector<double>& levels) {
  Json names = Json::array();
  for (const double level : levels) names.push_back(tick_label(level));
  return names;
}

Json points_of(const Plot& plot, const Series& series) {
  Json data = Json::array();
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    const bool shown = std::isfinite(series.x[i]) && std::isfinite(series.y[i]) &&
                       (!plot.x.log || series.x[i] > 0) && (!plot.y.log || series.y[i] > 0);
    Json item = {{"value", {number(series.x[i]), shown ? number(series.y[i]) : Json()}}};
    if (!series.radius.empty()) item["symbolSize"] = number(2 * series.radius[i]);
    if (!series.rows.empty()) item["row"] = series.rows[i];
    if (!series.labels.empty()) item["name"] = series.labels[i];
    data.push_back(std::move(item));
  }
  return data;
}

Json series_option(const Plot& plot, const Series& series, const std::string& color) {
  const bool points = series.mark == Mark::kPoints;
  Json json = {{"type", points ? "scatter" : "line"},
               {"name", series.name},
               {"data", points_of(plot, series)},
               {"itemStyle", {{"color", color}}},
               {"emphasis", {{"itemStyle", {{"borderColor", "#E00000"}, {"borderWidth", 3}}}}}};
  if (points) {
    json["symbolSize"] = 7;
    return json;
  }
  json["showSymbol"] = series.mark == Mark::kLinePoints;
  json["symbolSize"] = 7;
  json["lineStyle"] = {{"color", color}, {"type", series.dashed ? "dashed" : "solid"}};
  if (series.mark == Mark::kSteps) json["step"] = "end";
  return json;
}

// A band is two stacked lines in ECharts only on linear axes; two thin lines show it on any.
void add_band(Json& list, const Plot& plot, const Series& series, const std::string& color) {
  Series edge = series;
  edge.mark = Mark::kLine;
  edge.dashed = true;
  list.push_back(series_option(plot, edge, color));
  edge.y = series.y_hi;
  list.push_back(series_option(plot, edge, color));
}

Json remarks_option(const std::vector<Remark>& remarks) {
  Json points = Json::array();
  Json lines = Json::array();
  for (const auto& remark : remarks) {
    if (remark.x && remark.y) {
      points.push_back({{"coord", {number(*remark.x), number(*remark.y)}}, {"name", remark.text}});
    } else if (remark.x) {
      lines.push_back({{"xAxis", number(*remark.x)}, {"name", remark.text}});
    } else if (remark.y) {
      lines.push_back({{"yAxis", number(*remark.y)}, {"name", remark.text}});
    }
  }
  Json label = {{"formatter", "{b}"}, {"position", "right"}, {"fontSize", 11}};
  return {
      {"type", "scatter"},
      {"data", Json::array()},
      {"silent", true},
      {"markPoint",
       {{"symbol", "circle"},
        {"symbolSize", 12},
        {"itemStyle", {{"color", "transparent"}, {"borderColor", "#E00000"}, {"borderWidth", 2}}},
        {"label", label},
        {"data", points}}},
      {"markLine",
       {{"symbol", "none"},
        {"lineStyle", {{"type", "dashed"}}},
        {"label", {{"formatter", "{b}"}, {"position", "insideEndTop"}}},
        {"data", lines}}}};
}

Json option(const Plot& plot) {
  Json json = base_option(plot.title);
  json["tooltip"]["trigger"] = "item";
  json["xAxis"] = axis_option(plot.x, false);
  json["yAxis"] = axis_option(plot.y, true);
  json["dataZoom"] = {{{"type", "inside"}}, {{"type", "inside"}, {"orient", "vertical"}}};
  json["series"] = Json::array();
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    const Series& series = plot.series[i];
    const std::string color = series.color.empty() ? palette_color(i) : series.color;
    if (series.mark == Mark::kBand)
      add_band(json["series"], plot, series, color);
    else
      json["series"].push_back(series_option(plot, series, color));
  }
  if (!plot.remarks.empty()) json["series"].push_back(remarks_option(plot.remarks));
  return json;
}

// Index of the level nearest to `value`.
std::size_t nearest_level(const std::vector<double>& levels, double value) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < levels.size(); ++i) {
    if (std::abs(levels[i] - value) < std::abs(levels[best] - value)) best = i;
  }
  return best;
}

Json option(const HeatMap& map) {
  Json json = base_option(map.title);
  json.erase("legend");
  json["grid"]["left"] = 84;
  json["grid"]["right"] = 140;
  json["title"]["subtext"] = map.value_label;
  json["xAxis"] = category_axis(map.x_label, level_names(map.x), false);
  json["yAxis"] = category_axis(map.y_label, level_names(map.y), true);
  Json data = Json::array();
  double lo = INFINITY;
  double hi = -INFINITY;
  for (std::size_t row = 0; row < map.y.size(); ++row) {
    for (std::size_t column = 0; column < map.x.size(); ++column) {
      const double value = map.values[row][column];
      if (!std::isfinite(value)) continue;
      lo = std::min(lo, value);
      hi = std::max(hi, value);
      data.push_back({column, row, number(value)});
    }
  }
  if (map.color_hi) hi = std::min(hi, *map.color_hi);
  Json colors = Json::array();
  for (int i = 0; i <= 8; ++i) colors.push_back(ramp_color(i / 8.0));
  json["visualMap"] = {{"min", number(lo)},
                       {"max", number(hi)},
                       {"calculable", true},
                       {"right", 8},
                       {"top", "middle"},
                       {"inRange", {{"color", colors}}},
                       {"outOfRange", {{"color", ramp_color(1)}}}};
  Json marks = Json::array();
  for (const auto& remark : map.remarks) {
    if (!remark.x || !remark.y) continue;
    const std::size_t column = nearest_level(map.x, *remark.x);
    const bool right_half = 2 * column >= map.x.size();
    marks.push_back({{"coord", {column, nearest_level(map.y, *remark.y)}},
                     {"name", remark.text},
                     {"label", {{"position", right_half ? "left" : "right"}}}});
  }
  Json cells = {{"type", "heatmap"}, {"name", map.value_label}, {"data", data}};
  cells["markPoint"] = {
      {"symbol", "circle"},
      {"symbolSize", 14},
      {"itemStyle", {{"color", "transparent"}, {"borderColor", "#fff"}, {"borderWidth", 2}}},
      {"label",
       {{"formatter", "{b}"},
        {"position", "top"},
        {"color", "#fff"},
        {"textBorderColor", "#000"},
        {"textBorderWidth", 2}}},
      {"data", marks}};
  json["series"] = {cells};
  return json;
}

Json option(const StackedBars& bars) {
  Json json = base_option(bars.title);
  json["tooltip"]["trigger"] = "axis";
  json["xAxis"] = category_axis("", bars.bars, false);
  json["yAxis"] = axis_option({.label = bars.value_label}, true);
  json["yAxis"]["scale"] = false;
  json["series"] = Json::array();
  for (std::size_t p = 0; p < bars.parts.size(); ++p) {
    Json data = Json::array();
    for (const double value : bars.values[p]) data.push_back(number(std::max(0.0, value)));
    json["series"].push_back({{"type", "bar"},
                              {"stack", "total"},
                              {"name", bars.parts[p]},
                              {"data", data},
                              {"itemStyle", {{"color", palette_color(p)}}}});
  }
  return json;
}

// Interactive charts show the distribution as a box plot; the violin is the printed form.
Json option(const ViolinPlot& plot) {
  Json json = base_option(plot.title);
  json.erase("legend");
  json["xAxis"] = category_axis("", plot.names, false);
  json["yAxis"] = axis_option(plot.y, true);
  Json boxes = Json::array();
  for (auto sample : plot.values) {
    std::erase_if(sample, [](double value) { return !std::isfinite(value); });
    std::sort(sample.begin(), sample.end());
    Json box = Json::array();
    for (const double q : {0.0, 0.25, 0.5, 0.75, 1.0}) {
      if (sample.empty()) continue;
      const double position = q * static_cast<double>(sample.size() - 1);
      const auto i = static_cast<std::size_t>(position);
      const double next = sample[std::min(i + 1, sample.size() - 1)];
      box.push_back(number(sample[i] + (position - static_cast<double>(i)) * (next - sample[i])));
    }
    boxes.push_back(std::move(box));
  }
  json["series"] = {{{"type", "boxplot"},
                     {"data", boxes},
                     {"itemStyle", {{"color", "transparent"}, {"borderColor", palette_color(0)}}}}};
  return json;
}

// A span is a stacked bar upon an invisible one: one series a kind for each place in a lane would
// be many, so spans are thick lines between two points instead.
Json option(const Timeline& timeline) {
  Json json = base_option(timeline.title);
  json["xAxis"] = axis_option({.label = timeline.time_label}, false);
  json["yAxis"] = category_axis("", timeline.lanes, true);
  json["yAxis"]["inverse"] = true;
  json["grid"]["left"] = 130;
  json["dataZoom"] = {{{"type", "inside"}}};
  std::vector<std::string> kinds;
  std::vector<Json> lines;
  for (const auto& span : timeline.spans) {
    const auto found = std::find(kinds.begin(), kinds.end(), span.kind);
    const auto kind = static_cast<std::size_t>(found - kinds.begin());
    if (found == kinds.end()) {
      kinds.push_back(span.kind);
      lines.push_back(Json::array());
    }
    lines[kind].push_back({{"value", {number(span.begin), span.lane}}, {"name", span.label}});
    lines[kind].push_back({{"value", {number(span.end), span.lane}}, {"name", span.label}});
    lines[kind].push_back({{"value", {nullptr, span.lane}}});
  }
  json["series"] = Json::array();
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    json["series"].push_back({{"type", "line"},
                              {"name", kinds[k]},
                              {"data", lines[k]},
                              {"showSymbol", false},
                              {"connectNulls", false},
                              {"lineStyle", {{"width", 16}, {"cap", "butt"}}},
                              {"itemStyle", {{"color", palette_color(k)}}}});
  }
  return json;
}

}  // namespace

Json to_echarts(const Figure& figure) {
  return std::visit([](const auto& f) { return option(f); }, figure);
}

}  // namespace ridgewatt
