#include "ridgewatt/report/result_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "ridgewatt/base/csv.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/report/energy_figures.h"
#include "ridgewatt/report/result_json.h"
#include "ridgewatt/sweep/quality.h"
#include "ridgewatt/sweep/sweep.h"

namespace ridgewatt {
namespace {

constexpr int kDeepest = 64;

// The first of `names` that is a column.
std::optional<std::size_t> first_column(const CsvTable& csv,
                                        std::initializer_list<std::string_view> names) {
  for (const auto name : names) {
    if (const auto column = csv.column(name)) return column;
  }
  return std::nullopt;
}

Cell cell_of(const std::string& text) {
  if (text.empty()) return {};
  if (const auto whole = parse_int(text)) return *whole;
  if (const auto number = parse_double(text)) return *number;
  return text;
}

Table csv_table(const CsvTable& csv) {
  std::vector<Column> columns;
  for (const auto& name : csv.header) columns.push_back({name});
  Table table(std::move(columns));
  for (std::size_t r = 0; r < std::min(kMostTableRows, csv.rows.size()); ++r) {
    std::vector<Cell> row;
    for (const auto& field : csv.rows[r]) row.push_back(cell_of(field));
    table.add_row(std::move(row));
  }
  return table;
}

// What the rows of a sweep tell of themselves. A file without a provenance is a recorded sweep;
// one with intervals is a model's, of which such files do not tell more.
FigureSource sweep_source(const CsvTable& csv, const Sweep& sweep) {
  const auto field = [&](std::string_view name) {
    const auto column = csv.column(name);
    const std::size_t row = sweep.lines.empty() ? 0 : sweep.lines.front() - 2;  // after the header
    return column && row < csv.rows.size() ? csv.rows[row][*column] : std::string();
  };
  const bool intervals = csv.column("time_lo_ms").has_value();
  std::string word = field("provenance");
  std::string detail = field("runtime");
  if (const std::string twin = field("twin"); !twin.empty()) {
    detail += (detail.empty() ? "twin " : ", twin ") + twin;
  }
  if (word.empty()) {
    word = intervals ? "" : "replayed";
    if (intervals) detail = "with intervals, so modelled or predicted";
  }
  const bool named = csv.column("workload").has_value();
  return {named ? sweep.workload + " " + sweep.kind : "Workload not recorded", field("board"), word,
          detail};
}

// Curves of `y` over `x`, one for each combination of the text columns.
std::optional<Plot> curves(const CsvTable& csv, std::size_t x, std::size_t y) {
  Plot plot{.title = fmt::format("{} over {}", csv.header[y], csv.header[x]),
            .source = {"Scores of methods", "", ""},
            .x = {.label = csv.header[x]},
            .y = {.label = csv.header[y]}};
  std::map<std::string, std::map<double, std::pair<double, int>>> groups;
  for (const auto& row : csv.rows) {
    const auto x_value = parse_double(row[x]);
    const auto y_value = parse_double(row[y]);
    if (!x_value || !y_value) continue;
    std::string group;
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (row[c].empty() || parse_double(row[c])) continue;
      group += (group.empty() ? "" : ", ") + row[c];
    }
    auto& [sum, count] = groups[group][*x_value];
    sum += *y_value;
    ++count;
  }
  if (groups.empty() || groups.size() > 12) return std::nullopt;
  for (const auto& [name, points] : groups) {
    Series series{.name = name, .mark = Mark::kLinePoints};
    for (const auto& [at, mean] : points) {
      series.x.push_back(at);
      series.y.push_back(mean.first / mean.second);
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

void add_csv(HtmlReport& report, const std::string& name, const CsvTable& csv) {
  if (csv.column("time_ms") && csv.column("power_w") && !csv.rows.empty()) {
    const bool modelled = csv.column("time_lo_ms").has_value();
    for (const auto& sweep : sweeps_of(csv)) {
      const FigureSource source = sweep_source(csv, sweep);
      report.paragraph(
          fmt::format("{}; {} operating points.", source.line(), sweep.observations.size()));
      Sweep shown = sweep;
      if (!modelled) {
        const QualityReport quality = check_quality(sweep);
        shown = trusted_rows(sweep, quality);
        report.paragraph(
            fmt::format("{} suspect rows are left out of the figures.", quality.flagged_rows()));
      }
      for (const auto& figure : energy_figures(shown.observations, source)) report.figure(figure);
    }
  } else if (const auto x = first_column(csv, {"profiles", "profiled_modes", "samples", "n"})) {
    for (std::size_t c = 0; c < csv.header.size(); ++c) {
      const auto& column = csv.header[c];
      const bool wanted = column.find("mape") != std::string::npos ||
                          column.find("error") != std::string::npos ||
                          column.find("penalty") != std::string::npos;
      if (!wanted) continue;
      if (const auto plot = curves(csv, *x, c)) report.figure(*plot);
    }
  }
  std::string caption = name;
  if (csv.rows.size() > kMostTableRows) {
    caption += fmt::format(" (the first {} of {} rows)", kMostTableRows, csv.rows.size());
  }
  report.table(caption, csv_table(csv));
}

}  // namespace

void add_result(HtmlReport& report, const std::string& name, std::string_view content) {
  const std::string_view text = trim(content);
  if (text.empty()) throw InputError("file is empty", name);
  report.heading(name);
  if (text.front() != '{' && text.front() != '[') {
    add_csv(report, name, parse_csv(content, name));
    return;
  }
  // What lies deeper than any result does is dropped, so that no depth can exhaust the stack.
  const auto shallow = [](int depth, Json::parse_event_t, Json&) { return depth < kDeepest; };
  const Json json = Json::parse(text, shallow, false);
  if (json.is_discarded()) throw InputError("is not valid JSON", name);
  add_json_result(report, name, json);
}

}  // namespace ridgewatt
