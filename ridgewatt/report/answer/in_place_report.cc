#include <fmt/format.h>

#include <cmath>

#include "ridgewatt/base/plural.h"
#include "ridgewatt/base/sentence.h"
#include "ridgewatt/report/columns.h"
#include "ridgewatt/report/table.h"
#include "ridgewatt/report/tune_report.h"

namespace ridgewatt::report {
namespace {

// Null if a window was aborted before it had a value.
Json finite(double value) {
  return std::isfinite(value) && value > 0 ? Json(value) : Json();
}

Json window_json(const measure::InPlaceWindow& window, double begin_s) {
  Json json = json_object({{"kind", std::string(name_of(window.kind))},
                           {"mode", mode_to_json(window.point.mode)},
                           {"set_at_s", window.set_s - begin_s},
                           {"write_ms", 1e3 * window.write_s},
                           {"pace_changed_after_ms", known_json(window.time_effect_s, 1e3)},
                           {"power_changed_after_ms", known_json(window.power_effect_s, 1e3)},
                           {"minibatches", window.minibatches},
                           {"left_out", window.left_out},
                           {"pauses", window.pauses},
                           {"time_ms", finite(1e3 * window.time_s)},
                           {"power_w", finite(window.power_w)},
                           {"energy_j", finite(window.energy_j)},
                           {"time_error_pct", finite(100 * window.time_error)},
                           {"energy_error_pct", finite(100 * window.energy_error)},
                           {"precise", window.precise},
                           {"over_limit", window.over_limit}});
  return json;
}

Json effect_json(const measure::EffectTimes& effect) {
  if (effect.count == 0) return nullptr;
  return json_object({{"windows", effect.count},
                      {"median_ms", 1e3 * effect.median_s},
                      {"lower_quartile_ms", 1e3 * effect.lower_quartile_s},
                      {"upper_quartile_ms", 1e3 * effect.upper_quartile_s}});
}

std::string effect_text(const measure::EffectTimes& effect) {
  if (effect.count == 0) return "not known";
  return fmt::format("{:.0f} ms ({:.0f} to {:.0f}, {})", 1e3 * effect.median_s,
                     1e3 * effect.lower_quartile_s, 1e3 * effect.upper_quartile_s,
                     counted(effect.count, "window"));
}

std::string drift_text(const measure::DriftEvent& event) {
  return fmt::format("drift after {:.1f} s: time x {:.3f}, power x {:.3f}; cause: {}", event.time_s,
                     event.time_factor, event.power_factor, event.cause);
}

}  // namespace

Json in_place_to_json(const answer::InPlaceAnswer& report) {
  Json json = tune_to_json(report.answer);
  for (auto& remark : in_place_remarks(report)) json["remarks"].push_back(std::move(remark));
  const auto& run = report.run;
  Json place;
  place["windows"] = Json::array();
  for (const auto& window : run.windows) {
    place["windows"].push_back(window_json(window, run.begin_s));
  }
  place["transients"] = json_object({{"pace", effect_json(measure::time_effects(run))},
                                     {"power", effect_json(measure::power_effects(run))}});
  place["drift"] = Json::array();
  for (const auto& event : run.drift) {
    place["drift"].push_back(json_object({{"at_s", event.time_s},
                                          {"window", event.window},
                                          {"time_factor", event.time_factor},
                                          {"power_factor", event.power_factor},
                                          {"cause", event.cause}}));
  }
  place["modes_left"] = report.left_modes;
  place["renewed"] = report.renewed;
  place["search_s"] = report.search_s;
  place["minibatches_trained"] = report.search_minibatches;
  const double limit_w = report.answer.outcome.goal.limits.power_w;
  place["power_limit"] = nullptr;
  if (std::isfinite(limit_w)) {
    place["power_limit"] = json_object({{"limit_w", limit_w},
                                        {"above_s", run.over_limit_s},
                                        {"longest_above_s", run.longest_over_limit_s},
                                        {"worst_excess_pct", 100 * run.worst_excess}});
  }
  place["malformed_marks"] = run.malformed_marks;
  place["held_s"] = report.held_s;
  place["held_minibatches"] = report.held_minibatches;
  place["program_ended_first"] = report.program_ended;
  place["status"] = report.status;
  json["in_place"] = std::move(place);
  return json;
}

std::vector<std::string> in_place_remarks(const answer::InPlaceAnswer& report) {
  const auto& run = report.run;
  std::vector<std::string> lines = measure::skipped_marks_remarks(run.malformed_marks);
  lines.push_back(fmt::format("completed during the search: {}; {} in {}",
                              counted(report.search_minibatches, "minibatch"),
                              counted(report.windows, "window"), duration_text(report.search_s)));
  lines.push_back("a mode change took effect after: speed " +
                  effect_text(measure::time_effects(run)) + ", power " +
                  effect_text(measure::power_effects(run)));
  const double limit_w = report.answer.outcome.goal.limits.power_w;
  if (std::isfinite(limit_w)) {
    lines.push_back(
        run.over_limit_s > 0
            ? sentence(
                  "above {:.4g} W for {:.2f} s in total ({:.2f} % of the time), at most {:.0f} ms "
                  "at a time and by at most {:.1f} %; the search abandoned {} for this reason",
                  limit_w, run.over_limit_s, 100 * run.over_limit_s / run.time_s(),
                  1e3 * run.longest_over_limit_s, 100 * run.worst_excess,
                  counted(report.left_modes, "mode"))
            : sentence("never above {:.4g} W", limit_w));
  }
  for (const auto& event : run.drift) lines.push_back(drift_text(event));
  if (report.renewed > 0) {
    lines.push_back(fmt::format("{} repeated measurements that had drifted",
                                counted(report.renewed, "window")));
  }
  if (report.program_ended) lines.push_back("the program ended before the search did");
  if (report.held_s > 0) {
    lines.push_back(fmt::format(
        "then {} in {} in the mode of the answer{}", counted(report.held_minibatches, "minibatch"),
        duration_text(report.held_s), report.signal != 0 ? ", until a signal was received" : ""));
  }
  return lines;
}

Table windows_table(const answer::InPlaceAnswer& report) {
  std::vector<Column> columns = {{"window"}, {"kind"}};
  const auto knobs = knob_columns();
  append(columns, knobs);
  append(columns, {{.name = "minibatches"},
                   {.name = "left_out", .heading = "left out", .rank = 1},
                   {.name = "time_ms", .heading = "time (ms)", .digits = 4},
                   {.name = "power_w", .heading = "power (W)", .digits = 4},
                   {.name = "error_pct", .heading = "+- (%)", .digits = 2},
                   {.name = "limits"}});
  Table table(columns);
  std::int64_t number = 0;
  for (const auto& window : report.run.windows) {
    std::vector<Cell> row = {++number, std::string(name_of(window.kind))};
    for (auto& cell : knob_cells(window.point.mode, knobs)) row.push_back(std::move(cell));
    row.emplace_back(std::int64_t{window.minibatches});
    row.emplace_back(std::int64_t{window.left_out});
    const double error = 100 * std::max(window.time_error, window.energy_error);
    row.push_back(window.time_s > 0 ? Cell(1e3 * window.time_s) : Cell());
    row.emplace_back(window.power_w);
    row.push_back(std::isfinite(error) && !window.over_limit ? Cell(error) : Cell());
    row.emplace_back(std::string(window.over_limit ? "abandoned: above the limit" : "kept"));
    table.add_row(std::move(row));
  }
  return table;
}

}  // namespace ridgewatt::report
