#include "ridgewatt/report/page/result_sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "ridgewatt/base/plural.h"
#include "ridgewatt/base/sentence.h"
#include "ridgewatt/report/html_report.h"
#include "ridgewatt/report/page/json_fields.h"
#include "ridgewatt/report/roofline_report.h"
#include "ridgewatt/report/svg.h"
#include "ridgewatt/study/study_analysis.h"

namespace ridgewatt::report {
namespace {

constexpr double kPico = 1e-12;

// For example, {"mode": {"gpu_mhz": 306}} has the single value "mode.gpu_mhz". Arrays are omitted.
void flatten(const Json& value, const std::string& key, int depth,
             std::vector<std::pair<std::string, const Json*>>& flat) {
  constexpr int kDeepest = 4;
  for (const auto& [name, child] : value.items()) {
    const std::string whole = key.empty() ? name : key + "." + name;
    if (child.is_object() && depth < kDeepest)
      flatten(child, whole, depth + 1, flat);
    else if (!child.is_structured())
      flat.emplace_back(whole, &child);
  }
}

Cell scalar_cell(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return std::string(value.get<bool>() ? "yes" : "no");
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_number()) return value.get<double>();
  return {};
}

std::optional<ClassRoof> roof_at(const Json& row) {
  ClassRoof roof;
  roof.name = text_at(row, "roof");
  roof.arithmetic = text_at(row, "arithmetic");
  roofline::EnergyRoofline& reached = roof.reached;
  const auto field = [&](const char* key, double scale, double& value) {
    const auto number = number_at(row, key);
    if (number) value = *number * scale;
    return number && value > 0;
  };
  const bool whole = field("ceiling_gflop_per_s", kGiga, roof.ceiling_flop_per_s) &&
                     field("ceiling_gb_per_s", kGiga, roof.ceiling_bandwidth_bytes_per_s) &&
                     field("reached_gflop_per_s", kGiga, reached.peak_flop_per_s) &&
                     field("reached_gb_per_s", kGiga, reached.bandwidth_bytes_per_s) &&
                     field("energy_per_flop_pj", kPico, reached.energy_per_flop_j) &&
                     field("energy_per_byte_pj", kPico, reached.energy_per_byte_j) &&
                     field("static_power_w", 1, reached.static_power_w);
  if (!whole) return std::nullopt;
  const auto cap_w = number_at(row, "power_cap_w");
  if (cap_w && *cap_w > reached.static_power_w) reached.power_cap_w = *cap_w;
  roof.share = number_at(row, "gpu_share_pct").value_or(0) / 100;
  return roof;
}

// One layer per row, so that points can link to rows.
std::vector<RooflineLayer> layers_at(const Json& json) {
  std::vector<RooflineLayer> layers;
  for (const auto& row : rows_at(json, "layers")) {
    RooflineLayer& layer = layers.emplace_back();
    const auto field = [&](const char* key, double scale) {
      return number_at(row, key).value_or(0) * scale;
    };
    layer.name = text_at(row, "layer");
    layer.op = text_at(row, "op");
    layer.roof = text_at(row, "roof");
    layer.bound = text_at(row, "bound");
    layer.gpu_s = field("gpu_ms", 1e-3);
    layer.launch_s = field("launch_ms", 1e-3);
    layer.time_s = field("time_ms", 1e-3);
    layer.power_w = field("power_w", 1);
    layer.work_flop = field("work_mflop", 1e6);
    layer.traffic_bytes = field("traffic_mb", 1e6);
    layer.ceiling_flop_per_s = field("ceiling_gflop_per_s", kGiga);
    layer.reached_flop_per_s = field("reached_gflop_per_s", kGiga);
  }
  return layers;
}

void add_plan_facts(HtmlReport& report, const Json& plan) {
  std::vector<HtmlReport::Fact> facts;
  const auto add = [&](const char* name, const char* key, const char* unit) {
    if (number_at(plan, std::string(key) + "_" + unit)) {
      facts.push_back({name, quantity_at(plan, key, unit)});
    }
  };
  if (const auto rate = number_at(plan, "training_throughput")) {
    facts.push_back({"training minibatches per second", sentence("{:.3g}", *rate)});
  }
  add("worst latency", "latency", "ms");
  add("power", "power", "w");
  add("a cycle", "period", "ms");
  if (const auto batch = number_at(plan, "batch")) {
    facts.push_back({"inference batch", sentence("{:g}", *batch)});
  }
  if (const auto count = number_at(plan, "training_minibatches_per_cycle")) {
    facts.push_back({"training minibatches per cycle", sentence("{:g}", *count)});
  }
  report.facts(facts);
}

// One cycle: the batch of requests, then the training minibatches.
void add_cycle(HtmlReport& report, const Json& plan, const FigureSource& source) {
  constexpr double kMostSpans = 1000;
  const auto period = number_at(plan, "period_ms");
  const double count = number_at(plan, "training_minibatches_per_cycle").value_or(0);
  if (!period || count > kMostSpans) return;
  Timeline cycle{.title = "One cycle of the plan", .source = source, .time_label = "time (ms)"};
  cycle.lanes = {"inference", "training"};
  const double inference = number_at(plan, "inference_time_ms").value_or(0);
  const double training = number_at(plan, "training_time_ms").value_or(0);
  double now = 0;
  if (inference > 0) {
    cycle.spans.push_back({0, now, inference, "inference", "batch of requests"});
    now += inference;
  }
  for (int i = 0; i < count && training > 0; ++i, now += training) {
    cycle.spans.push_back({1, now, now + training, "training", fmt::format("minibatch {}", i + 1)});
  }
  if (now < *period) cycle.note = sentence("{:.3g} of {:.3g} ms are idle", *period - now, *period);
  if (!cycle.spans.empty()) report.figure(cycle);
}

}  // namespace

Table fields_table(const Json& rows) {
  std::vector<std::string> keys;
  std::map<std::string, std::size_t> columns_of;
  std::vector<std::map<std::size_t, Cell>> cells;
  for (const auto& row : rows) {
    if (cells.size() == kMostTableRows) break;
    std::vector<std::pair<std::string, const Json*>> flat;
    flatten(row, "", 0, flat);
    auto& own = cells.emplace_back();
    for (const auto& [key, value] : flat) {
      const auto [at, added] = columns_of.emplace(key, keys.size());
      if (added) keys.push_back(key);
      own[at->second] = scalar_cell(*value);
    }
  }
  std::vector<Column> columns;
  columns.reserve(keys.size());
  for (const auto& key : keys) columns.push_back(column_of_file(key));
  Table table(std::move(columns));
  for (auto& own : cells) {
    std::vector<Cell> row(keys.size());
    for (auto& [column, cell] : own) row[column] = std::move(cell);
    table.add_row(std::move(row));
  }
  return table;
}

void add_unknown_result(HtmlReport& report, const std::string& name, const Json& json) {
  const auto is_rows = [](const Json& value) {
    return value.is_array() && !value.empty() &&
           std::all_of(value.begin(), value.end(), [](const auto& v) { return v.is_object(); });
  };
  if (is_rows(json)) {
    report.table(table_caption(name, json.size()), fields_table(json));
    return;
  }
  if (!json.is_object()) return report.tree(json);
  Json rest = Json::object();
  for (const auto& [key, value] : json.items()) {
    if (!is_rows(value)) rest[key] = value;
  }
  if (!rest.empty()) report.tree(rest);
  for (const auto& [key, value] : json.items()) {
    if (is_rows(value)) report.table(table_caption(key, value.size()), fields_table(value));
  }
}

void add_roofline_result(HtmlReport& report, const Json& json) {
  const FigureSource source = source_at(json);
  RooflineReport roofs{
      .title = source.workload.empty() ? source.board : source.workload + " on " + source.board,
      .source = source};
  const Json modes = rows_at(json, "modes");
  std::optional<PowerMode> last;
  for (const auto& row : modes) {
    const auto roof = roof_at(row);
    if (!roof) continue;
    const PowerMode mode = mode_at(row);
    if (last != mode) {
      const std::string name = text_at(row, "preset");
      roofs.modes.push_back({name.empty() ? short_mode(mode) : name, {}});
      last = mode;
    }
    roofs.modes.back().roofs.push_back(*roof);
  }
  if (roofs.modes.empty()) return report.tree(json);
  roofs.layers = layers_at(json);
  for (const auto& part : rows_at(json, "time_parts")) {
    roofs.parts.push_back({text_at(part, "part"), number_at(part, "time_ms").value_or(0) * 1e-3});
  }
  for (const auto& roof : roofs.modes.front().roofs) {
    const roofline::EnergyRoofline& r = roof.reached;
    report.lead(sentence(
        "In {} {} reaches {} of {} GFLOP/s and {} of {} GB/s; its roofs meet at {:.3g} FLOP/byte.",
        roofs.modes.front().name, roof.name, cell_text(r.peak_flop_per_s / kGiga, 4),
        cell_text(roof.ceiling_flop_per_s / kGiga, 4),
        cell_text(r.bandwidth_bytes_per_s / kGiga, 3),
        cell_text(roof.ceiling_bandwidth_bytes_per_s / kGiga, 3), r.time_balance()));
  }
  report.paragraph(source.line() + ".");
  const int linked = roofs.layers.empty() ? -1 : report.next_table();
  for (const auto& figure : roofline_figures(roofs)) report.figure(figure, linked);
  const Json layers = rows_at(json, "layers");
  if (!layers.empty()) report.table(table_caption("Layers", layers.size()), fields_table(layers));
  if (!roofs.parts.empty()) {
    report.table("Where the minibatch's time goes", time_parts_table(roofs.parts));
  }
  report.table("Power modes", fields_table(modes));
}

void add_plan_result(HtmlReport& report, const Json& json) {
  const FigureSource source = source_at(json);
  const bool feasible = json.value("feasible", Json()) == true;
  const Json miss = json.contains("nearest_miss") ? json["nearest_miss"] : Json::object();
  const Json& plan = feasible ? json : miss;
  report.lead(feasible ? "Run at " + describe(mode_at(json)) + "."
                       : "No plan meets the limits. Nearest: " + describe(mode_at(miss)) + ": " +
                             text_at(miss, "misses") + ".");
  report.paragraph(source.line() + ".");
  add_plan_facts(report, plan);
  add_cycle(report, plan, source);
  const Json profiled = rows_at(json, "profiled");
  if (!profiled.empty()) report.table("Profiled, in order", fields_table(profiled));
  report.heading("All fields");
  report.tree(json);
}

void add_simulation_result(HtmlReport& report, const Json& json) {
  const FigureSource source = source_at(json);
  const Json results = rows_at(json, "results");
  const Json& plan = json["plan"];
  report.lead("The plan: " + describe(mode_at(plan)) + ".");
  report.paragraph(fmt::format("{}; arrivals: {}.", source.line(), text_at(json, "arrivals")));
  add_plan_facts(report, plan);
  Plot latency{.title = "Latency of requests by way of sharing",
               .source = source,
               .x = {.label = "share of requests (%)"},
               .y = {.label = "latency (ms)", .lo = 0.0}};
  Plot trade{.title = "Training against late requests' latency",
             .source = source,
             .x = {.label = "training (minibatches/s)", .lo = 0.0},
             .y = {.label = "99th percentile of latency (ms)", .lo = 0.0}};
  Series points{.name = "ways of sharing", .mark = Mark::kPoints};
  for (const auto& row : results) {
    Series series{.name = text_at(row, "sharing"), .mark = Mark::kLinePoints};
    for (const auto& [key, share] :
         {std::pair{"latency_p50_ms", 50.0}, std::pair{"latency_p95_ms", 95.0},
          std::pair{"latency_p99_ms", 99.0}, std::pair{"latency_worst_ms", 100.0}}) {
      if (const auto value = number_at(row, key)) {
        series.x.push_back(share);
        series.y.push_back(*value);
      }
    }
    if (!series.x.empty()) latency.series.push_back(std::move(series));
    const auto training = number_at(row, "training_throughput");
    const auto p99 = number_at(row, "latency_p99_ms");
    if (!training || !p99) continue;
    points.x.push_back(*training);
    points.y.push_back(*p99);
    trade.remarks.push_back({.x = *training, .y = *p99, .text = text_at(row, "sharing")});
  }
  if (!latency.series.empty()) report.figure(latency);
  if (!points.x.empty()) {
    trade.series.push_back(std::move(points));
    report.figure(trade);
  }
  if (!results.empty()) report.table("Ways of sharing", fields_table(results));
}

void add_study_result(HtmlReport& report, const Json& json) {
  FigureSource source = source_at(json);
  if (const std::string where = text_at(json, "where"); !where.empty() && source.detail.empty()) {
    source.detail = where;
  }
  report.lead(
      fmt::format("{} of the study {}.",
                  counted(static_cast<std::int64_t>(number_at(json, "runs").value_or(0)), "run"),
                  text_at(json, "study")));
  report.paragraph(source.line() + ".");
  for (const char* list : {"findings", "remarks"}) {
    if (!json.contains(list) || !json[list].is_array()) continue;
    for (const auto& text : json[list]) {
      if (text.is_string()) report.paragraph(text.get<std::string>());
    }
  }
  const Json cells = rows_at(json, "cells");
  int linked = -1;
  if (!cells.empty()) {
    linked =
        report.table(table_caption("Settings, geometric means", cells.size()), fields_table(cells));
  }
  Plot plot{.title = "Time against energy",
            .source = source,
            .x = {.label = "time (ms)"},
            .y = {.label = "energy (J)"}};
  Series points{.name = "settings", .mark = Mark::kPoints};
  for (std::size_t i = 0; i < std::min<std::size_t>(cells.size(), kMostTableRows); ++i) {
    const auto first_of = [&](std::span<const std::string_view> names) {
      std::optional<double> value;
      for (const auto name : names) {
        if (!value) value = number_at(cells[i], std::string(name));
      }
      return value;
    };
    const auto time = first_of(study::kTimeResponses), energy = first_of(study::kEnergyResponses);
    if (!time || !energy) continue;
    points.x.push_back(*time * 1e3);
    points.y.push_back(*energy);
    points.rows.push_back(static_cast<int>(i));
  }
  if (!points.x.empty()) {
    if (points.x.size() < cells.size()) {
      plot.note = fmt::format("{} of {} settings drawn", points.x.size(), cells.size());
    }
    plot.series.push_back(std::move(points));
    report.figure(plot, linked);
  }
  const Json effects = rows_at(json, "effects");
  if (!effects.empty()) report.table("Effects: ratios with 95 % intervals", fields_table(effects));
  const Json optima = rows_at(json, "optima");
  if (!optima.empty()) report.table("Where energy is least", fields_table(optima));
}

}  // namespace ridgewatt::report
