#include "ridgewatt/report/chart/figure_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/statistics.h"

namespace ridgewatt::report {
namespace {

constexpr std::size_t kMostPointsListed = 40;  // per series; chosen: a screen of numbers
constexpr std::size_t kMostRowsListed = 400;

Cell finite_cell(double value) {
  return std::isfinite(value) ? Cell(value) : Cell();
}

FigureData data_of(Table table, const std::string& left_out) {
  return {std::move(table), "Data of the figure" + (left_out.empty() ? "" : ": " + left_out)};
}

// Returns the listed indices: all, or evenly spaced ones including both ends.
std::vector<std::size_t> spread(std::size_t count, std::size_t most) {
  std::vector<std::size_t> kept;
  const std::size_t shown = std::min(count, most);
  for (std::size_t i = 0; i < shown; ++i) {
    kept.push_back(shown < 2 ? 0 : i * (count - 1) / (shown - 1));
  }
  return kept;
}

FigureData data_of(const Plot& plot, bool linked) {
  const bool band = std::any_of(plot.series.begin(), plot.series.end(),
                                [](const auto& s) { return s.mark == Mark::kBand; });
  std::vector<Column> columns = {{"series"}, {plot.x.label, "", 6}, {plot.y.label}};
  if (band) columns.push_back({"to"});
  Table table(columns);
  std::size_t listed = 0;
  std::size_t all_points = 0;
  std::string last_name;
  for (const auto& series : plot.series) {
    if (!series.name.empty()) last_name = series.name;
    if (linked && !series.rows.empty()) continue;
    all_points += series.x.size();
    for (const std::size_t i : spread(series.x.size(), kMostPointsListed)) {
      if (table.rows().size() >= kMostRowsListed) break;
      std::vector<Cell> row = {last_name, finite_cell(series.x[i]), finite_cell(series.y[i])};
      if (band) row.push_back(series.y_hi.empty() ? Cell() : finite_cell(series.y_hi[i]));
      table.add_row(std::move(row));
      ++listed;
    }
  }
  std::string left_out;
  if (listed < all_points) {
    left_out = fmt::format("{} of {} points, evenly spaced", listed, all_points);
  }
  return data_of(std::move(table), left_out);
}

FigureData data_of(const HeatMap& map, bool) {
  constexpr std::size_t kMostLevels = 30;
  const auto map_columns = spread(map.x.size(), kMostLevels);
  std::vector<Column> columns = {
      {map.y_label + " \\ " + map.x_label, fmt::format("{} \\ {}", map.y_label, map.x_label), 6}};
  for (const std::size_t c : map_columns) columns.push_back({fmt::format("{:g}", map.x[c])});
  Table table(columns);
  const auto map_rows = spread(map.y.size(), kMostLevels);
  for (const std::size_t r : map_rows) {
    std::vector<Cell> row = {map.y[r]};
    for (const std::size_t c : map_columns) row.push_back(finite_cell(map.values[r][c]));
    table.add_row(std::move(row));
  }
  std::string left_out = map.value_label;
  if (map_rows.size() < map.y.size() || map_columns.size() < map.x.size()) {
    left_out += fmt::format(", {} x {} of {} x {} cells, evenly spaced", map_rows.size(),
                            map_columns.size(), map.y.size(), map.x.size());
  }
  return data_of(std::move(table), left_out);
}

FigureData data_of(const StackedBars& bars, bool) {
  std::vector<Column> columns = {{"bar", " "}};
  for (const auto& part : bars.parts) columns.push_back({part});
  Table table(columns);
  for (std::size_t b = 0; b < bars.bars.size(); ++b) {
    std::vector<Cell> row = {bars.bars[b]};
    for (const auto& part : bars.values) row.push_back(finite_cell(part[b]));
    table.add_row(std::move(row));
  }
  return data_of(std::move(table), bars.value_label);
}

FigureData data_of(const ViolinPlot& plot, bool) {
  Table table({{"of", " "},
               {"count"},
               {"least"},
               {"lower quartile"},
               {"median"},
               {"upper quartile"},
               {"most"}});
  for (std::size_t i = 0; i < plot.names.size(); ++i) {
    std::vector<double> sample = plot.values[i];
    std::erase_if(sample, [](double value) { return !std::isfinite(value); });
    std::vector<Cell> row = {plot.names[i], static_cast<std::int64_t>(sample.size())};
    for (const double q : {0.0, 0.25, 0.5, 0.75, 1.0}) {
      row.emplace_back();
      if (!sample.empty()) row.back() = quantile(sample, q);
    }
    table.add_row(std::move(row));
  }
  return data_of(std::move(table), plot.value.label);
}

FigureData data_of(const Timeline& timeline, bool) {
  Table table({{"lane"}, {"what"}, {"begin", "from", 5}, {"end", "to", 5}, {"label", " "}});
  for (std::size_t i = 0; i < std::min(kMostRowsListed, timeline.spans.size()); ++i) {
    const auto& span = timeline.spans[i];
    table.add_row({timeline.lanes[span.lane], span.kind, span.begin, span.end, span.label});
  }
  std::string left_out = timeline.time_label;
  if (timeline.spans.size() > kMostRowsListed) {
    left_out += fmt::format(", the first {} of {} spans", kMostRowsListed, timeline.spans.size());
  }
  return data_of(std::move(table), left_out);
}

}  // namespace

FigureData figure_data(const Figure& figure, bool linked) {
  return std::visit([linked](const auto& f) { return data_of(f, linked); }, figure);
}

}  // namespace ridgewatt::report
