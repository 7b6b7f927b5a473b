// Figures as ECharts options. The page's theme sets the colors of texts and lines. Tooltips are
// drawn as rich text, so that names from a model are never interpreted as HTML.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/text.h"
#include "ridgewatt/report/chart/contour.h"
#include "ridgewatt/report/chart/svg_frame.h"
#include "ridgewatt/report/chart/violin.h"

namespace ridgewatt::report {
namespace {

// Six digits are precise enough for a figure and need a third of the bytes.
Json number(double value) {
  if (!std::isfinite(value)) return nullptr;
  return parse_double(fmt::format("{:.6g}", value)).value_or(0);  // 0: too small for a double
}

// The page shows title and legend. Clicks on its legend are passed to the hidden ECharts legend.
Json base_option(const std::string& title) {
  return {
      {"animation", false},
      {"backgroundColor", "transparent"},
      {"aria", {{"enabled", true}, {"label", {{"description", title}}}}},
      {"grid", {{"left", 12}, {"right", 22}, {"top", 34}, {"bottom", 30}, {"containLabel", true}}},
      {"legend", {{"show", false}}},
      {"tooltip", {{"renderMode", "richText"}, {"confine", true}}}};
}

// The range is that of the static figure; charts.js chooses ticks ("nice") that fit the space.
Json axis_option(const Axis& axis, bool vertical, const Range& range) {
  Json json = json_object({{"type", axis.log ? "log" : "value"},
                           {"name", axis.label},
                           {"nice", true},
                           {"min", number(range.lo)},
                           {"max", number(range.hi)},
                           {"axisLine", json_object({{"show", true}, {"onZero", false}})},
                           {"axisTick", json_object({{"show", true}})},
                           {"axisLabel", json_object({{"hideOverlap", true}})},
                           {"minorTick", json_object({{"show", false}})},
                           {"minorSplitLine", json_object({{"show", false}})}});
  // Names are horizontal: the name of the y axis is above it.
  if (vertical) {
    json["nameLocation"] = "end";
    json["nameGap"] = 14;
    json["nameTextStyle"] = json_object({{"align", "left"}});
  } else {
    json["nameLocation"] = "middle";
    json["nameGap"] = 28;
  }
  return json;
}

Json category_axis(const std::string& label, const Json& names, bool vertical) {
  Json json = json_object({{"type", "category"},
                           {"name", label},
                           {"axisLabel", json_object({{"hideOverlap", true}})},
                           {"axisTick", json_object({{"show", false}})},
                           {"data", names}});
  if (vertical) {
    json["nameLocation"] = "end";
    json["nameGap"] = 12;
    json["nameTextStyle"] = json_object({{"align", "left"}});
  } else {
    json["nameLocation"] = "middle";
    json["nameGap"] = 28;
  }
  return json;
}

// Names of bars and lanes: all names, from top to bottom, which charts.js shortens to the space.
Json name_axis(const std::vector<std::string>& names) {
  Json json = category_axis("", names, true);
  json["inverse"] = true;
  json["axisLabel"] = json_object({{"interval", 0}, {"overflow", "truncate"}, {"width", 160}});
  json["names"] = true;
  return json;
}

// A hidden axis from 0 to `count`, on which a cell or row has the length 1.
Json index_axis(std::size_t count, bool inverse) {
  return json_object({{"type", "value"},
                      {"show", false},
                      {"min", 0},
                      {"max", std::max<std::size_t>(1, count)},
                      {"inverse", inverse}});
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
    Json item = json_object(
        {{"value", json_array({number(series.x[i]), shown ? number(series.y[i]) : Json()})}});
    if (!series.radius.empty()) item["symbolSize"] = number(2 * series.radius[i]);
    if (!series.rows.empty()) item["row"] = series.rows[i];
    if (!series.labels.empty()) item["name"] = series.labels[i];
    data.push_back(std::move(item));
  }
  return data;
}

// Only positions, which ECharts draws as one shape.
Json cloud_option(const Plot& plot, const Series& series, const std::string& color) {
  Json data = Json::array();
  for (auto& point : points_of(plot, series)) data.push_back(std::move(point["value"]));
  return json_object(
      {{"type", "scatter"},
       {"name", series.name},
       {"large", true},
       {"largeThreshold", 1},
       {"symbolSize", series.radius.empty() ? Json(7) : number(2 * series.radius.front())},
       {"itemStyle", json_object({{"color", color}})},
       {"data", std::move(data)}});
}

Json series_option(const Plot& plot, const Series& series, const std::string& color) {
  if (is_cloud(series)) return cloud_option(plot, series, color);
  const bool points = series.mark == Mark::kPoints;
  Json json =
      json_object({{"type", points ? "scatter" : "line"},
                   {"name", series.name},
                   {"data", points_of(plot, series)},
                   {"itemStyle", json_object({{"color", color}})},
                   {"emphasis", json_object({{"itemStyle", json_object({{"borderColor", "#E00000"},
                                                                        {"borderWidth", 3}})}})}});
  if (points) {
    json["symbolSize"] = 7;
    return json;
  }
  json["showSymbol"] = series.mark == Mark::kLinePoints;
  json["symbolSize"] = 7;
  json["lineStyle"] = json_object({{"color", color}, {"type", series.dashed ? "dashed" : "solid"}});
  if (series.mark == Mark::kSteps) json["step"] = "end";
  return json;
}

// A polygon that charts.js draws. Its points are data, so that it follows changes of the axes.
Json polygon(const std::string& name, const std::string& color, double opacity,
             const Json& points) {
  return json_object({{"type", "custom"},
                      {"name", name},
                      {"polygon", points},
                      {"polygonFill", color},
                      {"polygonOpacity", opacity},
                      {"clip", true},
                      {"silent", true},
                      {"itemStyle", json_object({{"color", color}})},
                      {"data", Json::array({points.empty() ? Json::array({0, 0}) : points[0]})}});
}

Json band_option(const Plot& plot, const Series& series, const std::string& color) {
  Json points = Json::array();
  const auto shown = [&](std::size_t i) {
    return std::isfinite(series.x[i]) && std::isfinite(series.y[i]) &&
           std::isfinite(series.y_hi[i]) && (!plot.x.log || series.x[i] > 0) &&
           (!plot.y.log || (series.y[i] > 0 && series.y_hi[i] > 0));
  };
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    if (shown(i)) points.push_back({number(series.x[i]), number(series.y[i])});
  }
  for (std::size_t i = series.x.size(); i-- > 0;) {
    if (shown(i)) points.push_back({number(series.x[i]), number(series.y_hi[i])});
  }
  return polygon(series.name, color, 0.2, points);
}

// Rings with texts next to them.
Json ring_series(const Json& points, const char* color, const char* halo) {
  return json_object(
      {{"type", "scatter"},
       {"data", points},
       {"silent", true},
       {"symbol", "circle"},
       {"symbolSize", 13},
       {"z", 10},
       {"itemStyle",
        json_object({{"color", "transparent"}, {"borderColor", color}, {"borderWidth", 2}})},
       {"label", json_object({{"show", true},
                              {"formatter", "{b}"},
                              {"position", "right"},
                              {"fontSize", 11},
                              {"color", halo == nullptr ? "inherit" : "#fff"},
                              {"textBorderColor", halo == nullptr ? "transparent" : halo},
                              {"textBorderWidth", halo == nullptr ? 0 : 3}})}});
}

// A ring with its text on the side `side`.
Json ring_point(double x, double y, const std::string& text, const char* side) {
  return json_object({{"value", json_array({number(x), number(y)})},
                      {"name", text},
                      {"label", json_object({{"position", side}, {"show", !text.empty()}})}});
}

// Above the point, but toward the inside near the ends of the axis.
const char* side_of(double position) {
  return position < 0.2 ? "right" : position > 0.8 ? "left" : "top";
}

Json remarks_option(const Plot& plot) {
  const Range range = plot_range(plot, true);
  const Scale scale(range.lo, range.hi, plot.x.log, 0, 1);
  Json points = Json::array();
  Json lines = Json::array();
  for (const auto& remark : plot.remarks) {
    if (remark.x && remark.y) {
      if (scale.accepts(*remark.x)) {
        points.push_back(
            ring_point(*remark.x, *remark.y, remark.text, side_of(scale.pixel(*remark.x))));
      }
    } else if (remark.x) {
      lines.push_back(json_object({{"xAxis", number(*remark.x)}, {"name", remark.text}}));
    } else if (remark.y) {
      lines.push_back(json_object({{"yAxis", number(*remark.y)}, {"name", remark.text}}));
    }
  }
  Json series = ring_series(points, "#E00000", nullptr);
  series["rings"] = true;  // charts.js places the texts
  series["ink"] = true;    // charts.js gives the texts the page's color
  series["markLine"] =
      json_object({{"symbol", "none"},
                   {"silent", true},
                   {"lineStyle", json_object({{"type", "dashed"}, {"color", "#888"}})},
                   {"label", json_object({{"formatter", "{b}"}, {"position", "insideEndTop"}})},
                   {"data", lines}});
  return series;
}

Json option(const Plot& plot) {
  Json json = base_option(plot.title);
  json["tooltip"]["trigger"] = "item";
  json["xAxis"] = axis_option(plot.x, false, plot_range(plot, true));
  json["yAxis"] = axis_option(plot.y, true, plot_range(plot, false));
  json["dataZoom"] = {{{"type", "inside"}, {"zoomOnMouseWheel", "ctrl"}},
                      {{"type", "inside"}, {"orient", "vertical"}, {"zoomOnMouseWheel", "ctrl"}}};
  json["series"] = Json::array();
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    const Series& series = plot.series[i];
    const std::string color = series_color(series, i);
    json["series"].push_back(series.mark == Mark::kBand ? band_option(plot, series, color)
                                                        : series_option(plot, series, color));
  }
  if (!plot.remarks.empty()) json["series"].push_back(remarks_option(plot));
  return json;
}

// The center of a cell is half a unit from its edges.
Json map_point(const MapPoint& point) {
  return Json::array({number(point.column + 0.5), number(point.row + 0.5)});
}

// A contour line on the second pair of axes, which is numeric.
Json contour_series(const ContourLine& line) {
  Json segments = Json::array();
  for (const auto& [a, b] : line.segments)
    segments.push_back(json_object({{"coords", json_array({map_point(a), map_point(b)})}}));
  return json_object(
      {{"type", "lines"},
       {"name", line.text},
       {"coordinateSystem", "cartesian2d"},
       {"xAxisIndex", 1},
       {"yAxisIndex", 1},
       {"silent", true},
       {"z", 5},
       {"lineStyle", json_object({{"color", "#ffffff"}, {"width", 1.2}, {"opacity", 0.85}})},
       {"data", segments}});
}

// The labels of contour lines. charts.js uses the first of the positions that is free.
Json contour_texts(const std::vector<ContourLine>& lines) {
  Json texts = Json::array();
  for (const auto& line : lines) {
    if (line.places.empty() || line.text.empty()) continue;
    Json places = Json::array();
    for (const auto& place : line.places) places.push_back(map_point(place));
    texts.push_back(json_object({{"value", places[0]}, {"name", line.text}, {"places", places}}));
  }
  Json series = ring_series(texts, "transparent", "#0e2054");
  series["contours"] = true;
  series["symbolSize"] = 1;
  series["label"]["position"] = "inside";
  series["label"]["backgroundColor"] = "rgba(14,32,84,0.8)";
  series["label"]["padding"] = {1, 3};
  series["xAxisIndex"] = series["yAxisIndex"] = 1;
  return series;
}

Json option(const HeatMap& map) {
  Json json = base_option(map.title);
  json["xAxis"] = {category_axis(map.x_label, level_names(map.x), false),
                   index_axis(map.x.size(), false)};
  json["yAxis"] = {category_axis(map.y_label, level_names(map.y), true),
                   index_axis(map.y.size(), false)};
  Json data = Json::array();
  for (std::size_t row = 0; row < map.y.size(); ++row) {
    for (std::size_t column = 0; column < map.x.size(); ++column) {
      const double value = map.values[row][column];
      if (std::isfinite(value)) data.push_back({column, row, number(value)});
    }
  }
  const ColorRange range = color_range(map).value_or(ColorRange{0, 1});
  Json colors = Json::array();
  for (int i = 0; i <= 8; ++i) colors.push_back(ramp_color(i / 8.0));
  json["visualMap"] = json_object({{"show", false},
                                   {"seriesIndex", 0},
                                   {"min", number(range.lo)},
                                   {"max", number(range.hi)},
                                   {"inRange", json_object({{"color", colors}})},
                                   {"outOfRange", json_object({{"color", ramp_color(1)}})}});
  json["series"] = {{{"type", "heatmap"}, {"name", map.value_label}, {"data", data}}};
  const auto lines = contour_lines(map);
  for (const auto& line : lines) json["series"].push_back(contour_series(line));
  Json marks = Json::array();
  for (const auto& remark : map.remarks) {
    if (!remark.x || !remark.y) continue;
    const double column = level_index(map.x, *remark.x) + 0.5;
    const double row = level_index(map.y, *remark.y) + 0.5;
    // The first label is above or below its ring, the other labels are left or right of theirs.
    const bool upper = 3 * row > static_cast<double>(map.y.size());
    const bool right = 2 * column > static_cast<double>(map.x.size());
    const char* side = marks.empty() ? (upper ? "bottom" : "top") : right ? "left" : "right";
    marks.push_back(ring_point(column, row, remark.text, side));
  }
  Json rings = ring_series(marks, "#fff", "#000");
  rings["rings"] = true;
  rings["xAxisIndex"] = rings["yAxisIndex"] = 1;
  json["series"].push_back(std::move(rings));
  json["series"].push_back(contour_texts(lines));
  return json;
}

Json option(const StackedBars& bars) {
  Json json = base_option(bars.title);
  json["tooltip"]["trigger"] = "item";
  json["grid"]["top"] = 8;
  json["xAxis"] = axis_option({.label = bars.value_label}, false, {0, bars_top(bars)});
  json["yAxis"] = name_axis(bars.bars);
  json["series"] = Json::array();
  for (std::size_t p = 0; p < bars.parts.size(); ++p) {
    Json data = Json::array();
    for (const double value : bars.values[p]) data.push_back(number(std::max(0.0, value)));
    json["series"].push_back(
        json_object({{"type", "bar"},
                     {"stack", "total"},
                     {"barCategoryGap", "28%"},
                     {"name", bars.parts[p]},
                     {"data", data},
                     {"itemStyle", json_object({{"color", palette_color(p)}})}}));
  }
  return json;
}

Json option(const ViolinPlot& plot) {
  const Range range = violin_range(plot);
  const Scale scale(range.lo, range.hi, plot.value.log, 0, 1);
  Json json = base_option(plot.title);
  json["grid"]["top"] = 8;
  json["xAxis"] = axis_option(plot.value, false, range);
  json["yAxis"] = {name_axis(plot.names), index_axis(plot.names.size(), true)};
  json["series"] = Json::array();
  Json medians = Json::array();
  for (std::size_t i = 0; i < plot.values.size(); ++i) {
    const auto violin = violin_of(plot.values[i], scale);
    if (!violin) continue;
    const double row = static_cast<double>(i) + 0.5;
    Json points = Json::array();
    for (const auto& [value, density] : violin->outline) {
      points.push_back({number(value), number(row - 0.42 * density)});
    }
    Json shape = polygon(plot.names[i], palette_color(i), 0.5, points);
    shape["yAxisIndex"] = 1;
    json["series"].push_back(std::move(shape));
    json["series"].push_back(
        json_object({{"type", "line"},
                     {"ink", true},
                     {"yAxisIndex", 1},
                     {"silent", true},
                     {"showSymbol", false},
                     {"lineStyle", json_object({{"width", 3}})},
                     {"data", json_array({json_array({number(violin->lower), row}),
                                          json_array({number(violin->upper), row})})}}));
    medians.push_back(json_object(
        {{"value", json_array({number(violin->middle), row})},
         {"name", plot.names[i] + ": median, quartiles " + tick_label(number(violin->lower)) +
                      " to " + tick_label(number(violin->upper))}}));
  }
  json["series"].push_back(json_object(
      {{"type", "scatter"},
       {"yAxisIndex", 1},
       {"symbolSize", 8},
       {"z", 10},
       {"itemStyle",
        json_object({{"color", "#fff"}, {"borderColor", "#333"}, {"borderWidth", 1.5}})},
       {"data", medians}}));
  return json;
}

// Spans are thick lines between two points. Stacked bars would need a series for each kind and
// position in a lane.
Json option(const Timeline& timeline) {
  Json json = base_option(timeline.title);
  std::vector<double> times;
  for (const auto& span : timeline.spans) times.insert(times.end(), {span.begin, span.end});
  json["grid"]["top"] = 8;
  json["xAxis"] = axis_option({.label = timeline.time_label}, false, padded_range(times, false));
  json["yAxis"] = name_axis(timeline.lanes);
  json["dataZoom"] = {{{"type", "inside"}, {"zoomOnMouseWheel", "ctrl"}}};
  const auto kinds = timeline_kinds(timeline);
  std::vector<Json> lines(kinds.size(), Json::array());
  for (const auto& span : timeline.spans) {
    const auto kind =
        static_cast<std::size_t>(std::find(kinds.begin(), kinds.end(), span.kind) - kinds.begin());
    lines[kind].push_back(json_object(
        {{"value", json_array({number(span.begin), span.lane})}, {"name", span.label}}));
    lines[kind].push_back(
        json_object({{"value", json_array({number(span.end), span.lane})}, {"name", span.label}}));
    lines[kind].push_back(json_object({{"value", json_array({nullptr, span.lane})}}));
  }
  json["series"] = Json::array();
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    json["series"].push_back(json_object(
        {{"type", "line"},
         {"name", kinds[k]},
         {"data", lines[k]},
         {"showSymbol", false},
         {"connectNulls", false},
         {"lineStyle", json_object({{"width", 22}, {"cap", "butt"}, {"color", palette_color(k)}})},
         {"itemStyle", json_object({{"color", palette_color(k)}})}}));
  }
  return json;
}

// Escapes names as the tables and static figures of the page do.
void escape_texts(Json& json) {
  if (json.is_structured()) {
    for (auto& value : json) escape_texts(value);
  } else if (json.is_string()) {
    json = escape_terminal(json.get_ref<const std::string&>());
  }
}

}  // namespace

Json to_echarts(const Figure& figure) {
  Json json = std::visit([](const auto& f) { return option(f); }, figure);
  escape_texts(json);
  return json;
}

}  // namespace ridgewatt::report
