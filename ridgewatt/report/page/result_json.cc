#include "ridgewatt/report/page/result_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "ridgewatt/base/plural.h"
#include "ridgewatt/base/sentence.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/report/columns.h"
#include "ridgewatt/report/html_report.h"
#include "ridgewatt/report/mode_json.h"
#include "ridgewatt/report/page/energy_figures.h"
#include "ridgewatt/report/page/json_fields.h"
#include "ridgewatt/report/page/result_sections.h"
#include "ridgewatt/report/svg.h"

namespace ridgewatt::report {
namespace {

constexpr std::size_t kFewPoints = 24;  // up to this number, a figure can name its points

std::string percent_more(double ratio) {
  const double percent = 100 * (ratio - 1);
  if (std::abs(percent) < 0.5) return "the same";
  return fmt::format("{:.0f} % {}", std::abs(percent), percent > 0 ? "more" : "less");
}

double samples_of(const Json& point) {
  return std::max(1.0, number_at(point, "batch").value_or(1));
}

// A cost of a minibatch, per sample.
std::optional<double> per_sample(const Json& point, const std::string& key) {
  const auto value = number_at(point, key);
  return value ? std::optional(*value / samples_of(point)) : std::nullopt;
}

// For example, "15 % more time, 22 % less power, 9 % less energy", per sample.
std::string against(const Json& other, const Json& answer) {
  std::string text;
  for (const auto& [key, word, at] :
       {std::tuple{"time_ms", "time", &per_sample}, std::tuple{"power_w", "power", &number_at},
        std::tuple{"energy_j", "energy", &per_sample}}) {
    const auto a = at(answer, key), b = at(other, key);
    if (!a || !b || !(*b > 0)) continue;
    text += (text.empty() ? "" : ", ") + percent_more(*a / *b) + " " + word;
  }
  if (!text.empty() && samples_of(other) != samples_of(answer)) text += ", per sample";
  return text;
}

bool batches_differ(const Json& points) {
  return std::any_of(points.begin(), points.end(), [&](const auto& point) {
    return samples_of(point) != samples_of(points.front());
  });
}

bool texts_differ(const Json& points, const char* key) {
  return std::any_of(points.begin(), points.end(), [&](const auto& point) {
    return text_at(point, key) != text_at(points.front(), key);
  });
}

// The board, runtime and precision of a point, where those of `points` differ.
std::string differing_words(const Json& point, const Json& points) {
  std::string text;
  for (const char* key : {"board", "runtime", "precision"}) {
    const std::string word = text_at(point, key);
    if (!word.empty() && texts_differ(points, key)) text += (text.empty() ? "" : ", ") + word;
  }
  return text;
}

std::string point_words(const Json& point, const Json& points = Json::array()) {
  std::string text = differing_words(point, points);
  text += (text.empty() ? "" : ", ") + describe(mode_at(point));
  if (const auto batch = number_at(point, "batch")) text += sentence(", batch {:g}", *batch);
  return text;
}

// "3.19 ms per sample" if batches differ, otherwise "51 ms".
std::string cost_words(const Json& point, const char* name, const char* unit, bool each) {
  if (!each) return quantity_at(point, name, unit);
  const std::string key = std::string(name) + "_" + unit;
  Json sample = Json::object();
  if (const auto value = per_sample(point, key)) sample[key] = *value;
  return quantity_at(sample, name, unit) + " per sample";
}

void add_minimum_facts(const Json& point, std::vector<HtmlReport::Fact>& facts) {
  for (const auto& [key, unit, name] :
       {std::tuple{"time", "ms", "time per minibatch"}, std::tuple{"power", "w", "power"},
        std::tuple{"energy", "j", "energy per minibatch"}}) {
    if (!number_at(point, std::string(key) + "_" + unit)) continue;
    const std::string interval = interval_at(point, key, unit);
    facts.push_back({name, quantity_at(point, key, unit), interval});
  }
}

// The points as circles with their names. Answers have their own series.
Plot named_points(const Json& points, const std::vector<std::string>& names,
                  const FigureSource& source, std::size_t answers) {
  const bool each = batches_differ(points);
  Plot plot{.title = "Time against power",
            .source = source,
            .x = {.label = each ? "time per sample (ms)" : "time per minibatch (ms)"},
            .y = {.label = "power (W)"}};
  Series answer{.name = "answer", .mark = Mark::kPoints, .color = palette_color(1)};
  Series others{.name = "compared", .mark = Mark::kPoints, .color = palette_color(0)};
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto observation = observation_at(points[i]);
    if (!observation) continue;
    Series& series = i < answers ? answer : others;
    series.x.push_back(observation->time_s * 1e3 / (each ? samples_of(points[i]) : 1));
    series.y.push_back(observation->power_w);
    series.radius.push_back(i < answers ? 7 : 5);
    series.labels.push_back(names[i]);
    if (names[i].empty()) continue;
    plot.remarks.push_back({.x = series.x.back(), .y = series.y.back(), .text = names[i]});
  }
  if (answers == 0) others.name = "modes";
  if (!answer.x.empty()) plot.series.push_back(std::move(answer));
  if (!others.x.empty()) plot.series.push_back(std::move(others));
  return plot;
}

// Adds the profiled points as a series before the named ones. `each`: the time per sample.
void add_profiled(Plot& plot, const Json& profiled, bool each) {
  Series series{.name = "profiled", .mark = Mark::kPoints, .color = "#9AA5B1"};
  for (const auto& point : profiled) {
    const auto observation = observation_at(point);
    if (!observation) continue;
    series.x.push_back(observation->time_s * 1e3 / (each ? samples_of(point) : 1));
    series.y.push_back(observation->power_w);
    series.labels.push_back(point_words(point));
  }
  if (!series.x.empty()) plot.series.insert(plot.series.begin(), std::move(series));
}

void add_answer(HtmlReport& report, const Json& json) {
  std::vector<HtmlReport::Fact> facts;
  add_minimum_facts(json, facts);
  if (number_at(json, "latency_ms")) {
    facts.push_back({"latency", quantity_at(json, "latency", "ms")});
  }
  if (const auto bytes = number_at(json, "memory_bytes")) {
    const Cell fits = truth_at(json, "fits_memory");
    const auto* word = std::get_if<std::string>(&fits);
    facts.push_back({"memory of the minibatch", format_si(*bytes, "B"),
                     word == nullptr  ? ""
                     : *word == "yes" ? "fits"
                                      : "does not fit"});
  }
  if (const auto seconds = number_at(json, "job_time_s")) {
    facts.push_back({"the job", sentence("{:.3g} h", *seconds / 3600),
                     format_si(number_at(json, "job_energy_j").value_or(0), "J")});
  }
  if (const auto confidence = number_at(json, "confidence")) {
    facts.push_back({"probability of meeting the limits", cell_text(*confidence, 2)});
  }
  report.facts(facts);
}

// The answers of all boards or all runtimes, the best first; empty for one board and runtime.
Json ranked_points(const Json& json) {
  Json points = Json::array();
  for (const char* key : {"boards", "runtimes"}) {
    for (const auto& answer : rows_at(json, key)) {
      Json point = answer;
      if (!observation_at(answer) && answer.contains("nearest_miss")) {
        point.update(answer["nearest_miss"]);
      }
      points.push_back(std::move(point));
    }
  }
  return points;
}

void add_ranking(HtmlReport& report, const Json& json, const Json& ranked) {
  if (!ranked.empty()) {
    report.table(
        json.contains("boards") ? "Boards, the best first" : "Runtimes, the best first",
        points_table(ranked, {}, {"board", "runtime", "precision", "feasible", "misses", "twin"}));
  }
  if (!json.contains("left_out") || !json["left_out"].is_array()) return;
  for (const auto& line : json["left_out"]) {
    if (line.is_string()) report.paragraph("Left out: " + line.get<std::string>() + ".");
  }
}

void add_tune_result(HtmlReport& report, const Json& json) {
  const FigureSource source = source_at(json);
  const bool feasible = json.value("feasible", Json()) == true;
  const Json miss = json.contains("nearest_miss") ? json["nearest_miss"] : Json::object();
  const Json& best = feasible ? json : miss;
  const Json ranked = ranked_points(json);
  const std::string where = differing_words(json, ranked);
  report.lead(feasible ? "Run " + (where.empty() ? "" : "on " + where + " ") + "at " +
                             point_words(json) + "."
              : miss.empty() || !observation_at(miss)
                  ? std::string("No answer: nothing meets the limits.")
                  : fmt::format("No answer: nothing meets the limits. Nearest: {}: {}.",
                                point_words(miss), text_at(miss, "misses")));
  report.paragraph(fmt::format("Asked: least {}. {}.", text_at(json, "minimize"), source.line()));
  add_answer(report, best);
  add_ranking(report, json, ranked);
  Json points = Json::array();
  std::vector<std::string> names;
  if (observation_at(best)) {
    points.push_back(best);
    names.emplace_back(feasible ? "answer" : "nearest miss");
  }
  const std::size_t answers = points.size();
  for (const auto& other : rows_at(json, "compared")) {
    const std::string name = text_at(other, "name");
    if (feasible && !against(other, json).empty()) {
      report.paragraph(fmt::format("Against {}: {}{}.", name, against(other, json),
                                   other.value("feasible", Json()) == false
                                       ? " (" + name + " does not meet the limits)"
                                       : ""));
    }
    points.push_back(other);
    names.push_back(name);
  }
  if (points.empty()) return;
  const Json profiled = rows_at(json, "profiled");
  Plot plot = named_points(points, names, source, answers);
  add_profiled(plot, profiled, batches_differ(points));
  report.table("The answer and what it is compared with",
               points_table(points, names, {"feasible", "objective_ratio", "misses"}));
  report.figure(plot);
  if (!profiled.empty()) {
    report.table(fmt::format("Profiled by {}, in order", text_at(json, "strategy")),
                 points_table(profiled, {}, {"feasible", "reason"}));
  }
}

void add_estimate_result(HtmlReport& report, const Json& json) {
  const FigureSource source = source_at(json);
  const Json rows = rows_at(json, "estimates");
  std::vector<Observation> observations;
  std::vector<std::string> names;
  const Json* fastest = nullptr;
  const Json* frugal = nullptr;
  const auto less = [](const Json* a, const Json& b, const char* key) {
    const auto value = per_sample(b, key);
    return value && (a == nullptr || *value < per_sample(*a, key).value_or(0));
  };
  for (const auto& row : rows) {
    if (const auto observation = observation_at(row)) observations.push_back(*observation);
    if (less(fastest, row, "time_ms")) fastest = &row;
    if (less(frugal, row, "energy_j")) frugal = &row;
    std::string name = text_at(row, "preset");
    if (name.empty()) name = text_at(row, "name");
    names.push_back(name);
  }
  const bool each = batches_differ(rows);
  if (fastest != nullptr && rows.size() > 1) {
    report.lead(fmt::format("Fastest of {} points: {}: {} and {}.", rows.size(),
                            point_words(*fastest, rows), cost_words(*fastest, "time", "ms", each),
                            quantity_at(*fastest, "power", "w")));
  }
  if (frugal != nullptr && rows.size() > 1) {
    const std::string energy = cost_words(*frugal, "energy", "j", each);
    report.lead(frugal == fastest
                    ? fmt::format("It also needs the least energy: {}.", energy)
                    : fmt::format("Least energy: {}: {}; compared with the fastest: {}.",
                                  point_words(*frugal, rows), energy, against(*fastest, *frugal)));
  }
  if (rows.size() == 1) {
    report.lead(point_words(rows[0]) + ": " + with_interval_at(rows[0], "time", "ms") + ", " +
                with_interval_at(rows[0], "power", "w") + ".");
    std::vector<HtmlReport::Fact> facts;
    add_minimum_facts(rows[0], facts);
    report.facts(facts);
  }
  report.paragraph(source.line() + ".");
  if (rows.empty()) return;
  if (rows.size() <= kFewPoints) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i].empty()) names[i] = short_mode(mode_at(rows[i]));
      if (const auto words = differing_words(rows[i], rows); !words.empty()) {
        names[i] = words + ", " + names[i];
      }
      if (each) names[i] += sentence(", batch {:g}", samples_of(rows[i]));
    }
    if (rows.size() > 1) report.figure(named_points(rows, names, source, 0));
  } else {
    for (const auto& figure : energy_figures(observations, source)) report.figure(figure);
  }
  report.table(table_caption("Estimates", rows.size()),
               points_table(rows, {}, {"board", "runtime", "precision", "bound", "fits_memory"}));
}

// The array of predict and pareto, with or without an enclosing object that states its origin.
void add_points_result(HtmlReport& report, const Json& json, const Json& rows) {
  const FigureSource source = source_at(json);
  report.paragraph(fmt::format("{}. {}.", counted(rows.size(), "operating point"), source.line()));
  std::vector<Observation> observations;
  for (const auto& row : rows) {
    if (const auto observation = observation_at(row)) observations.push_back(*observation);
  }
  for (const auto& figure : energy_figures(observations, source)) report.figure(figure);
  report.table(table_caption("Operating points", rows.size()), points_table(rows, {}, {"board"}));
}

bool are_points(const Json& json) {
  return json.is_array() && !json.empty() &&
         std::all_of(json.begin(), json.end(),
                     [](const auto& row) { return observation_at(row).has_value(); });
}

bool has_all(const Json& json, std::initializer_list<const char*> keys) {
  return json.is_object() &&
         std::all_of(keys.begin(), keys.end(), [&](const char* key) { return json.contains(key); });
}

}  // namespace

std::string short_mode(const PowerMode& mode) {
  std::string text;
  if (mode.cpu_cores > 0) text += fmt::format("{} x ", mode.cpu_cores);
  if (mode.cpu_clock_hz > 0) text += fmt::format("CPU {}", mhz_of_hz(mode.cpu_clock_hz));
  if (mode.gpu_clock_hz > 0) {
    text += fmt::format("{}GPU {}", text.empty() ? "" : ", ", mhz_of_hz(mode.gpu_clock_hz));
  }
  return text;
}

std::string table_caption(const std::string& what, std::size_t rows) {
  return rows > kMostTableRows ? fmt::format("{} (the first {} of {})", what, kMostTableRows, rows)
                               : what;
}

Table points_table(const Json& points, const std::vector<std::string>& names,
                   std::initializer_list<const char*> more) {
  static const std::vector<Column> kWho = {column("board"), column("runtime"), column("precision")};
  static const std::vector<Column> kCosts = {column("batch"), column("time_ms"), column("power_w"),
                                             column("energy_j"), column("latency_ms")};
  static const std::vector<Column> kBounds = {column("time_lo_ms"),  {"time_hi_ms", "to (ms)"},
                                              column("power_lo_w"),  {"power_hi_w", "to (W)"},
                                              column("energy_lo_j"), {"energy_hi_j", "to (J)"}};
  static const std::vector<Column> kMore = {
      column("bound"),    {"fits_memory", "fits the memory"},
      column("feasible"), {"objective_ratio", "objective, x answer", 3},
      column("misses"),   column("reason"),
      column("twin")};
  const std::size_t count = std::min<std::size_t>(kMostTableRows, points.size());
  std::vector<PowerMode> modes;
  for (std::size_t i = 0; i < count; ++i) modes.push_back(mode_at(points[i]));
  const auto has = [&](std::string_view key) {
    return std::any_of(points.begin(), points.end(),
                       [&](const auto& point) { return point.contains(std::string(key)); });
  };
  const auto asked = [&](std::string_view name) {
    return std::any_of(more.begin(), more.end(), [&](const char* key) { return name == key; });
  };
  std::vector<Column> who;
  std::vector<Column> wanted;
  for (const auto& column : kWho) {
    if (asked(column.name) && has(column.name)) who.push_back(column);
  }
  for (const auto& column : kCosts) {
    if (has(column.name)) wanted.push_back(column);
  }
  for (const auto& column : kMore) {
    if (asked(column.name) && has(column.name)) wanted.push_back(column);
  }
  for (const auto& column : kBounds) {
    if (has(column.name)) wanted.push_back(column);
  }
  const auto knobs = knob_columns();
  std::vector<Column> columns;
  if (!names.empty()) columns.push_back({"name", " "});
  append(columns, who);
  append(columns, knobs);
  append(columns, wanted);
  Table table(std::move(columns));
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<Cell> row;
    if (!names.empty()) row.emplace_back(names[i]);
    for (const auto& column : who) row.push_back(cell_at(points[i], std::string(column.name)));
    for (auto& cell : knob_cells(modes[i], knobs)) row.push_back(std::move(cell));
    for (const auto& column : wanted) row.push_back(cell_at(points[i], std::string(column.name)));
    table.add_row(std::move(row));
  }
  return table;
}

bool add_known_result(HtmlReport& report, const Json& json) {
  if (has_all(json, {"minimize", "compared"})) return add_tune_result(report, json), true;
  if (has_all(json, {"estimates"})) return add_estimate_result(report, json), true;
  if (!rows_at(json, "modes").empty() && rows_at(json, "modes")[0].contains("time_balance")) {
    return add_roofline_result(report, json), true;
  }
  if (has_all(json, {"plan", "results"})) return add_simulation_result(report, json), true;
  if (has_all(json, {"feasible", "strategy"}) &&
      (has_all(json, {"training_minibatches_per_cycle"}) || has_all(json, {"nearest_miss"}))) {
    return add_plan_result(report, json), true;
  }
  if (has_all(json, {"study", "findings"})) return add_study_result(report, json), true;
  if (are_points(json)) return add_points_result(report, json, json), true;
  for (const char* key : {"points", "predictions", "front"}) {
    if (json.is_object() && json.contains(key) && are_points(json[key])) {
      return add_points_result(report, json, json[key]), true;
    }
  }
  return false;
}

void add_json_result(HtmlReport& report, const std::string& name, const Json& json) {
  if (!add_known_result(report, json)) add_unknown_result(report, name, json);
}

}  // namespace ridgewatt::report
