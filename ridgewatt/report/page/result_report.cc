#include "ridgewatt/report/html_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/plural.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/io/csv.h"
#include "ridgewatt/io/csv_reader.h"
#include "ridgewatt/report/page/energy_figures.h"
#include "ridgewatt/report/page/json_fields.h"
#include "ridgewatt/report/page/result_json.h"
#include "ridgewatt/report/result.h"
#include "ridgewatt/sweep/quality.h"
#include "ridgewatt/sweep/sweep.h"

namespace ridgewatt::report {
namespace {

constexpr int kDeepest = 64;

// Returns the first of `names` that is a column.
std::optional<std::size_t> first_column(const CsvReader& csv,
                                        std::initializer_list<std::string_view> names) {
  for (const auto name : names) {
    if (const auto column = csv.column(name)) return column;
  }
  return std::nullopt;
}

Cell cell_of(std::string_view text) {
  if (text.empty()) return {};
  if (const auto whole = parse_int(text)) return *whole;
  if (const auto number = parse_double(text)) return *number;
  return std::string(text);
}

// The first rows as a table, and the number of all rows.
struct CsvRows {
  Table table;
  std::size_t count = 0;
  bool numbers = false;  // whether one of these rows has a number
};

CsvRows first_rows(std::string_view text, const std::string& name) {
  CsvReader csv(text, name);
  std::vector<Column> columns;
  for (const auto& name : csv.header()) columns.push_back(column_of_file(name));
  CsvRows rows{Table(std::move(columns))};
  while (csv.next()) {
    if (++rows.count > kMostTableRows) continue;
    std::vector<Cell> row;
    for (std::size_t c = 0; c < csv.header().size(); ++c) {
      rows.numbers |= parse_double(csv.field(c)).has_value();
      row.push_back(cell_of(csv.field(c)));
    }
    rows.table.add_row(std::move(row));
  }
  if (!rows.numbers) {
    throw InputError("is not a result of ridgewatt, because it has no row with a number", name,
                     "give a file that was written with --format json or csv");
  }
  return rows;
}

// The source of the numbers in a sweep. Intervals without a provenance come from a model, but the
// file does not state which.
FigureSource sweep_source(const Sweep& sweep, bool named, bool intervals, bool origins) {
  const std::string workload = named ? sweep.workload + " " + sweep.kind : "Workload not recorded";
  if (intervals && !origins) {
    return {workload, sweep.board, {}, "with intervals, so modelled or predicted"};
  }
  std::string detail(sweep.runtime ? name_of(*sweep.runtime) : "");
  if (!sweep.twin.empty()) detail += (detail.empty() ? "twin " : ", twin ") + sweep.twin;
  return {workload, sweep.board, sweep.provenance, detail};
}

constexpr std::size_t kMostCurves = 12;

// Mean of `y` over `x`, one curve for each combination of the text columns.
std::optional<Plot> curves(std::string_view text, const std::string& name, std::size_t x,
                           std::size_t y) {
  CsvReader csv(text, name);
  Plot plot{.title = fmt::format("{} over {}", csv.header()[y], csv.header()[x]),
            .source = {"Scores of methods", "", {}},
            .x = {.label = csv.header()[x]},
            .y = {.label = csv.header()[y]}};
  std::map<std::string, std::map<double, std::pair<double, int>>> groups;
  while (csv.next()) {
    const auto x_value = parse_double(csv.field(x));
    const auto y_value = parse_double(csv.field(y));
    if (!x_value || !y_value) continue;
    std::string group;
    for (std::size_t c = 0; c < csv.header().size(); ++c) {
      if (csv.field(c).empty() || parse_double(csv.field(c))) continue;
      group += (group.empty() ? "" : ", ") + std::string(csv.field(c));
    }
    auto& [sum, count] = groups[group][*x_value];
    sum += *y_value;
    ++count;
    if (groups.size() > kMostCurves) return std::nullopt;
  }
  if (groups.empty()) return std::nullopt;
  for (const auto& [group, points] : groups) {
    Series series{.name = group, .mark = Mark::kLinePoints};
    for (const auto& [at, mean] : points) {
      series.x.push_back(at);
      series.y.push_back(mean.first / mean.second);
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

// Adds the figures of a sweep. Quality checks between neighboring rows apply only to measurements.
void add_sweep_figures(HtmlReport& report, const Sweep& sweep, const FigureSource& source,
                       bool made_by_a_model) {
  report.paragraph(
      fmt::format("{}; {}.", source.line(), counted(sweep.observations.size(), "operating point")));
  const auto add_figures = [&](const Sweep& shown) {
    for (const auto& figure : energy_figures(shown.observations, source)) report.figure(figure);
  };
  if (made_by_a_model) return add_figures(sweep);
  const QualityReport quality = check_quality(sweep);
  if (const std::size_t flagged = quality.flagged_rows(); flagged > 0) {
    report.paragraph(fmt::format("The figures leave out {}.", counted(flagged, "flagged row")));
  }
  add_figures(quality.flagged_rows() == 0 ? sweep : trusted_rows(sweep, quality));
}

// The rows with known time and power as CSV, and the number of other rows. A twin does not know the
// power of boards without a power sensor, and a log of `govern` has steps without a minibatch.
struct KnownRows {
  std::string text;  // empty if all rows are known
  std::size_t known = 0, others = 0;
  bool timed = true;  // whether all rows have a time
};

KnownRows known_rows(std::string_view text, const std::string& name) {
  KnownRows found;
  CsvReader csv(text, name);
  const std::size_t time = csv.require_column("time_ms"), power = csv.require_column("power_w");
  const auto is_known = [&](const CsvReader& row) {
    return !row.field(time).empty() && !row.field(power).empty();
  };
  while (csv.next()) {
    ++(is_known(csv) ? found.known : found.others);
    if (csv.field(time).empty()) found.timed = false;
  }
  if (found.others == 0 || found.known == 0) return found;
  CsvReader again(text, name);
  const auto add_row = [&](const auto& field_of) {
    for (std::size_t c = 0; c < again.header().size(); ++c) {
      found.text += (c == 0 ? "" : ",") + csv_field(field_of(c));
    }
    found.text += '\n';
  };
  add_row([&](std::size_t c) { return again.header()[c]; });
  while (again.next()) {
    if (is_known(again)) add_row([&](std::size_t c) { return again.field(c); });
  }
  return found;
}

void add_csv(HtmlReport& report, const std::string& name, std::string_view text) {
  const CsvReader csv(text, name);
  const CsvRows rows = first_rows(text, name);
  const bool costs = csv.column("time_ms") && csv.column("power_w");
  const KnownRows known = costs ? known_rows(text, name) : KnownRows();
  if (known.others > 0) {
    const char* const what = known.timed ? "power" : "time or power";
    report.paragraph(
        known.known == 0
            ? fmt::format("The {} of these rows is not known, so there are no figures of power "
                          "and energy.",
                          what)
            : fmt::format("The {} of {} of {} is not known; the figures show only the others.",
                          what, known.others, counted(known.others + known.known, "row")));
    text = known.text;
  }
  if (costs && known.known > 0) {
    const bool intervals = csv.column("time_lo_ms").has_value();
    for (auto& sweep : parse_sweeps(text, name)) {
      const FigureSource source = sweep_source(sweep, csv.column("workload").has_value(), intervals,
                                               csv.column("provenance").has_value());
      const bool modelled = intervals || sweep.provenance == Provenance::kModelled ||
                            sweep.provenance == Provenance::kPredicted;
      add_sweep_figures(report, sweep, source, modelled);
      sweep = Sweep();  // so that a large file is not in memory twice
    }
  } else if (const auto x = first_column(csv, {"profiles", "profiled_modes", "samples", "n"})) {
    for (std::size_t c = 0; c < csv.header().size(); ++c) {
      const auto& column = csv.header()[c];
      const bool wanted = column.find("mape") != std::string::npos ||
                          column.find("error") != std::string::npos ||
                          column.find("penalty") != std::string::npos;
      if (!wanted) continue;
      if (const auto plot = curves(text, name, *x, c)) report.figure(*plot);
    }
  }
  std::string caption = name;
  if (rows.count > kMostTableRows) {
    caption += fmt::format(" (the first {} of {} rows)", kMostTableRows, rows.count);
  }
  report.table(caption, rows.table);
}

// Rejects numbers so large or small that a ratio of two could overflow.
void check_number(const Json& value, const std::string& name) {
  constexpr double kMost = 1e30, kLeast = 1e-100;  // chosen: far beyond any quantity of a result
  if (!value.is_number_float()) return;
  const double size = std::abs(value.get<double>());
  if (size == 0 || (size >= kLeast && size <= kMost)) return;
  throw InputError("the result has an implausible number: " + value.dump(), name);
}

}  // namespace

void add_result(HtmlReport& report, const std::string& name, std::string_view content) {
  const std::string_view text = trim(content);
  if (text.empty()) throw InputError("the file is empty", name);
  report.heading(name);
  if (text.front() != '{' && text.front() != '[') {
    add_csv(report, name, content);
    return;
  }
  // Drops values that are deeper than in any result, so that nesting cannot exhaust the stack.
  const auto plausible = [&](int depth, Json::parse_event_t event, Json& value) {
    if (event == Json::parse_event_t::value) check_number(value, name);
    return depth < kDeepest;
  };
  const Json json = Json::parse(text, plausible, false);
  if (json.is_discarded()) throw InputError("is not valid JSON", name);
  if (has_schema(json)) return add_json_result(report, name, without_schema(json));
  if (!add_known_result(report, json)) {
    throw InputError("is JSON, but not a result of ridgewatt", name,
                     "give a file that was written with --format json or csv");
  }
}

Json result_figures(const Json& result) {
  HtmlReport report("");
  add_json_result(report, "", without_schema(result));
  return report.figures();
}

}  // namespace ridgewatt::report
