#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ridgewatt/base/plural.h"
#include "ridgewatt/base/sentence.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/io/path.h"
#include "ridgewatt/report/columns.h"
#include "ridgewatt/report/mode_json.h"
#include "ridgewatt/report/roofline_report.h"

namespace ridgewatt::report {
namespace {

using answer::LayersAnswer;
using answer::MeasuredLayer;

constexpr double kMillisPerSecond = 1e3;
constexpr double kMega = 1e6;

std::optional<double> rate_of(std::optional<double> amount, double time_s) {
  return amount && *amount > 0 && time_s > 0 ? std::optional(*amount / time_s) : std::nullopt;
}

std::optional<double> flop_of(const MeasuredLayer& layer) {
  return layer.work ? std::optional(layer.work->work_flop) : std::nullopt;
}

std::optional<double> macs_of(const MeasuredLayer& layer) {
  return layer.work ? std::optional(layer.work->macs) : std::nullopt;
}

std::string joined_nodes(const MeasuredLayer& layer) {
  std::string text;
  for (const auto& node : layer.onnx_nodes) text += (text.empty() ? "" : " ") + node;
  return text;
}

std::vector<Column> measured_columns() {
  return {{.name = "name", .heading = "layer"},
          {.name = "kind", .rank = 1},
          {.name = "time_ms"},
          {.name = "time_share_pct", .heading = "share (%)", .digits = 3},
          {.name = "precision", .rank = 4},
          {.name = "gflop_per_s", .heading = "GFLOP/s", .rank = 2},
          {.name = "gb_per_s", .heading = "GB/s", .rank = 2},
          {.name = "ceiling_gflop_per_s", .rank = 5},
          {.name = "reached_gflop_per_s", .rank = 5},
          {.name = "ceiling_ms", .heading = "at its ceiling (ms)", .rank = 3},
          {.name = "reached_ms", .heading = "by the twin (ms)", .rank = 5},
          {.name = "gap_ms", .heading = "gap (ms)", .rank = 1},
          {.name = "energy_mj", .heading = "energy (mJ)", .rank = 3},
          {.name = "macs", .heading = "MACs", .rank = 7},
          {.name = "flops", .heading = "FLOP", .rank = 6},
          {.name = "bytes", .rank = 6},
          {.name = "kernels", .rank = 8},
          {.name = "launch_ms", .heading = "launching (ms)", .rank = 8},
          {.name = "idle_ms", .heading = "idle before (ms)", .rank = 8},
          {.name = "copy_of", .heading = "a copy for", .rank = 9},
          {.name = "onnx_nodes", .heading = "ONNX nodes", .rank = 9}};
}

// Values that only traces of kernels contain.
std::vector<Cell> kernel_cells(const MeasuredLayer& layer) {
  if (layer.kernels == 0) return {Cell(), Cell(), Cell()};
  return {layer.kernels, layer.launch_s * kMillisPerSecond, layer.idle_s * kMillisPerSecond};
}

std::vector<Cell> roof_cells(const MeasuredLayer& layer) {
  std::vector<Cell> cells(5);
  if (!layer.roof) return cells;
  const auto flop = flop_of(layer);
  if (layer.roof->ceiling_flop_per_s > 0) cells[0] = layer.roof->ceiling_flop_per_s / kGiga;
  if (layer.roof->reached_s) {
    cells[1] = known_cell(rate_of(flop, *layer.roof->reached_s), 1 / kGiga);
    cells[3] = *layer.roof->reached_s * kMillisPerSecond;
  }
  cells[2] = layer.roof->ceiling_s * kMillisPerSecond;
  cells[4] = known_cell(layer.gap_s(), kMillisPerSecond);
  return cells;
}

std::string title_of(const LayersAnswer& answer) {
  return "Measured layers" +
         (answer.model.empty() ? std::string() : " of " + file_name(answer.model));
}

FigureSource source_of(const LayersAnswer& answer) {
  std::string detail = std::string(name_of(answer.source)) + " profile";
  if (!answer.recorded_on.empty()) detail += " recorded on " + answer.recorded_on;
  return {file_name(answer.model), answer.board.empty() ? answer.recorded_on : answer.board,
          Provenance::kMeasured, detail};
}

struct PlacedPoint {
  std::size_t row;
  double intensity, flop_per_s;
};

std::map<std::string, std::vector<PlacedPoint>> points_by_kind(const LayersAnswer& answer) {
  std::map<std::string, std::vector<PlacedPoint>> points;
  for (std::size_t i = 0; i < answer.layers.size(); ++i) {
    const MeasuredLayer& layer = answer.layers[i];
    const auto rate = rate_of(flop_of(layer), layer.time_s);
    if (!rate || !layer.traffic_bytes || !(*layer.traffic_bytes > 0)) continue;
    points[layer.kind_text()].push_back({i, *flop_of(layer) / *layer.traffic_bytes, *rate});
  }
  return points;
}

// A ceiling with its corner, over the range of intensities of the points.
Series ceiling_line(const twin::RoofCeiling& ceiling, double lo, double hi) {
  Series line{.name = fmt::format("ceiling ({})", name_of(ceiling.arithmetic))};
  line.x = {std::min(lo, ceiling.time_balance() / 10), ceiling.time_balance(),
            std::max(hi, ceiling.time_balance() * 10)};
  for (const double x : line.x) line.y.push_back(ceiling.attainable_flop_per_s(x) / kGiga);
  return line;
}

Plot measured_roofline(const LayersAnswer& answer) {
  Plot plot{.title = title_of(answer) + ": roofline",
            .source = source_of(answer),
            .x = {.label = "arithmetic intensity (FLOP/byte)", .log = true},
            .y = {.label = "performance (GFLOP/s)", .log = true}};
  const auto points = points_by_kind(answer);
  double lo = 1, hi = 1;
  for (const auto& [kind, placed] : points) {
    for (const auto& point : placed) {
      lo = std::min(lo, point.intensity / 2), hi = std::max(hi, point.intensity * 2);
    }
  }
  for (const auto& ceiling : answer.ceilings) plot.series.push_back(ceiling_line(ceiling, lo, hi));
  for (const auto& [kind, placed] : points) {
    Series series{.name = kind, .mark = Mark::kPoints};
    for (const auto& point : placed) {
      const MeasuredLayer& layer = answer.layers[point.row];
      series.x.push_back(point.intensity);
      series.y.push_back(point.flop_per_s / kGiga);
      // The area of a point is proportional to its share of the time.
      series.radius.push_back(std::clamp(40 * std::sqrt(layer.time_s / answer.time_s), 2.5, 16.0));
      series.rows.push_back(static_cast<int>(point.row));
      series.labels.push_back(layer.name);
    }
    plot.series.push_back(std::move(series));
  }
  const auto unplaced = static_cast<std::size_t>(
      std::count_if(answer.layers.begin(), answer.layers.end(), [](const MeasuredLayer& layer) {
        return !rate_of(flop_of(layer), layer.time_s) || !layer.traffic_bytes;
      }));
  if (unplaced > 0) {
    plot.note =
        fmt::format("{} without work, bytes or time are not shown", counted(unplaced, "layer"));
  }
  return plot;
}

StackedBars measured_time_bar(const LayersAnswer& answer) {
  StackedBars bars{.title = title_of(answer) + ": where the time goes",
                   .source = source_of(answer),
                   .value_label = "time of a run (ms)",
                   .bars = {"layers"}};
  std::map<std::string, double> parts;
  for (const auto& layer : answer.layers) parts[layer.kind_text()] += layer.time_s;
  std::vector<std::pair<double, std::string>> order;
  for (const auto& [kind, time_s] : parts) {
    if (time_s > 0) order.emplace_back(time_s, kind);
  }
  if (answer.gaps) order.emplace_back(answer.gaps->idle_s() / answer.runs, "device idle");
  std::sort(order.rbegin(), order.rend());
  for (const auto& [time_s, kind] : order) {
    bars.parts.push_back(kind);
    bars.values.push_back({time_s * kMillisPerSecond});
  }
  return bars;
}

constexpr std::size_t kWorthWork = 10;

Table worth_work_table(const LayersAnswer& answer) {
  Table table({{.name = "name", .heading = "layer"},
               {.name = "kind"},
               {.name = "time_ms"},
               {.name = "ceiling_ms", .heading = "at its ceiling (ms)"},
               {.name = "gap_ms", .heading = "gap (ms)"},
               {.name = "gflop_per_s", .heading = "GFLOP/s"},
               {.name = "gb_per_s", .heading = "GB/s"}});
  for (const std::size_t i : answer.worth_work(kWorthWork)) {
    const MeasuredLayer& layer = answer.layers[i];
    table.add_row({layer.name, layer.kind_text(), layer.time_s * kMillisPerSecond,
                   layer.roof ? Cell(layer.roof->ceiling_s * kMillisPerSecond) : Cell(),
                   known_cell(layer.gap_s(), kMillisPerSecond),
                   known_cell(rate_of(flop_of(layer), layer.time_s), 1 / kGiga),
                   known_cell(rate_of(layer.traffic_bytes, layer.time_s), 1 / kGiga)});
  }
  return table;
}

Json optional_json(const std::optional<double>& value, double scale = 1) {
  return value ? Json(*value * scale) : Json(nullptr);
}

Json totals_json(const LayersAnswer& answer) {
  Json totals;
  totals["time_ms"] = answer.time_s * kMillisPerSecond;
  totals["flops"] = answer.work ? Json(answer.work->work_flop) : Json(nullptr);
  totals["macs"] = answer.work ? Json(answer.work->macs) : Json(nullptr);
  totals["bytes"] = optional_json(answer.traffic_bytes);
  totals["energy_mj"] = optional_json(answer.energy_j, kMillisPerSecond);
  totals["layers"] = answer.layers.size();
  totals["model_macs"] = answer.model_work ? Json(answer.model_work->macs) : Json(nullptr);
  totals["model_flops"] = answer.model_work ? Json(answer.model_work->work_flop) : Json(nullptr);
  return totals;
}

Json gaps_json(const trace::LaunchGaps& gaps) {
  Json json;
  json["span_ms"] = gaps.span_s * kMillisPerSecond;
  json["busy_ms"] = gaps.busy_s * kMillisPerSecond;
  json["idle_ms"] = gaps.idle_s() * kMillisPerSecond;
  json["gaps"] = gaps.gaps;
  json["longest_ms"] = gaps.longest_s * kMillisPerSecond;
  json["launches"] = gaps.launches;
  json["launch_mean_ms"] = gaps.launch_mean_s * kMillisPerSecond;
  return json;
}

Json times_json(const trace::EngineTimes& times) {
  Json json;
  json["runs"] = times.runs;
  json["latency_mean_ms"] = times.latency_mean_s * kMillisPerSecond;
  json["latency_median_ms"] = times.latency_median_s * kMillisPerSecond;
  json["latency_p99_ms"] = times.latency_p99_s * kMillisPerSecond;
  json["compute_median_ms"] = times.compute_median_s * kMillisPerSecond;
  json["enqueue_median_ms"] = times.enqueue_median_s * kMillisPerSecond;
  json["enqueue_bound"] = times.enqueue_bound();
  return json;
}

Json ceilings_of(const LayersAnswer& answer) {
  Json json = Json::array();
  for (const auto& ceiling : answer.ceilings) {
    json.push_back(json_object({{"arithmetic", name_of(ceiling.arithmetic)},
                                {"ceiling_gflop_per_s", ceiling.flop_per_s / kGiga},
                                {"ceiling_gb_per_s", ceiling.bandwidth_bytes_per_s / kGiga}}));
  }
  return json;
}

std::string totals_line(const LayersAnswer& answer) {
  std::string line = sentence("{}, {:.6g} ms per run", counted(std::ssize(answer.layers), "layer"),
                              answer.time_s * kMillisPerSecond);
  if (answer.batch) line += fmt::format(", batch {}", *answer.batch);
  if (answer.work) {
    line +=
        sentence(", {:.4g} GFLOP ({:.0f} MACs)", answer.work->work_flop / kGiga, answer.work->macs);
  }
  if (answer.traffic_bytes) line += sentence(", {:.4g} MB", *answer.traffic_bytes / kMega);
  if (answer.energy_j) {
    line += sentence(", {:.4g} mJ {}", *answer.energy_j * kMillisPerSecond,
                     name_of(answer.energy_provenance));
  }
  return line;
}

}  // namespace

Table measured_layer_table(const LayersAnswer& answer) {
  Table table(measured_columns());
  for (const auto& layer : answer.layers) {
    std::vector<Cell> row = {
        layer.name,
        layer.kind_text(),
        layer.time_s * kMillisPerSecond,
        answer.time_s > 0 ? Cell(100 * layer.time_s / answer.time_s) : Cell(),
        layer.precision_known ? Cell(std::string(name_of(layer.precision))) : Cell(),
        known_cell(rate_of(flop_of(layer), layer.time_s), 1 / kGiga),
        known_cell(rate_of(layer.traffic_bytes, layer.time_s), 1 / kGiga)};
    for (Cell& cell : roof_cells(layer)) row.push_back(std::move(cell));
    row.push_back(known_cell(layer.energy_j, kMillisPerSecond));
    row.push_back(known_cell(macs_of(layer)));
    row.push_back(known_cell(flop_of(layer)));
    row.push_back(known_cell(layer.traffic_bytes));
    for (Cell& cell : kernel_cells(layer)) row.push_back(std::move(cell));
    row.push_back(layer.copy_of.empty() ? Cell() : Cell(layer.copy_of));
    row.push_back(layer.onnx_nodes.empty() ? Cell() : Cell(joined_nodes(layer)));
    table.add_row(std::move(row));
  }
  return table;
}

std::string measured_layer_order(const LayersAnswer& answer) {
  return answer.ceilings.empty() ? "-time_ms" : "-gap_ms";
}

Json measured_layers_json(const LayersAnswer& answer) {
  Json json;
  json["provenance"] = name_of(Provenance::kMeasured);
  json["source"] = name_of(answer.source);
  json["runtime"] = answer.runtime ? Json(name_of(*answer.runtime)) : Json(nullptr);
  json["recorded_on"] = answer.recorded_on.empty() ? Json(nullptr) : Json(answer.recorded_on);
  json["model"] = answer.model.empty() ? Json(nullptr) : Json(answer.model);
  json["device"] = answer.board.empty() ? Json(nullptr) : Json(answer.board);
  json["mode"] = answer.board.empty() ? Json(nullptr) : Json(mode_to_json(answer.mode));
  json["batch"] = answer.batch ? Json(*answer.batch) : Json(nullptr);
  json["runs"] = answer.runs;
  json["totals"] = totals_json(answer);
  json["energy_provenance"] =
      answer.energy_j ? Json(name_of(answer.energy_provenance)) : Json(nullptr);
  json["power_w"] = optional_json(answer.power_w);
  json["ceilings"] = ceilings_of(answer);
  json["gaps"] = answer.gaps ? gaps_json(*answer.gaps) : Json(nullptr);
  json["times"] = answer.times ? times_json(*answer.times) : Json(nullptr);
  json["mismatches"] = answer.mismatches;
  json["remarks"] = answer.remarks;
  json["layers"] = measured_layer_table(answer).to_json();
  for (std::size_t i = 0; i < answer.layers.size(); ++i) {
    json["layers"][i]["onnx_nodes"] = answer.layers[i].onnx_nodes;
  }
  return json;
}

std::vector<std::string> measured_layers_lines(const LayersAnswer& answer) {
  std::vector<std::string> lines = {totals_line(answer)};
  if (answer.gaps && answer.gaps->span_s > 0) {
    const auto& gaps = *answer.gaps;
    lines.push_back(sentence(
        "the device was idle for {:.3g} ms of {:.4g} ms ({:.3g} %), in {} gaps of up to {:.3g} ms",
        gaps.idle_s() * kMillisPerSecond, gaps.span_s * kMillisPerSecond,
        100 * gaps.idle_s() / gaps.span_s, gaps.gaps, gaps.longest_s * kMillisPerSecond));
    if (gaps.launches > 0) {
      lines.push_back(sentence("a launch takes {:.3g} ms of CPU time ({} launches)",
                               gaps.launch_mean_s * kMillisPerSecond, gaps.launches));
    }
  }
  if (answer.times) {
    lines.push_back(sentence(
        "{}: latency {:.4g} ms (median), {:.4g} ms (99 %); enqueueing "
        "{:.3g} ms",
        counted(answer.times->runs, "run"), answer.times->latency_median_s * kMillisPerSecond,
        answer.times->latency_p99_s * kMillisPerSecond,
        answer.times->enqueue_median_s * kMillisPerSecond));
  }
  for (const auto& mismatch : answer.mismatches) lines.push_back("mismatch: " + mismatch);
  for (const auto& remark : answer.remarks) lines.push_back(remark);
  return lines;
}

std::string measured_layers_svg(const LayersAnswer& answer) {
  return to_svg({measured_roofline(answer), measured_time_bar(answer)}, title_of(answer));
}

std::string measured_layers_html(const LayersAnswer& answer) {
  HtmlReport page(title_of(answer));
  page.paragraph(source_of(answer).line() + ".");
  for (const auto& line : measured_layers_lines(answer)) page.paragraph(line);
  page.table("Layers to optimize: the largest gaps to the ceiling, otherwise the longest layers",
             worth_work_table(answer));
  const int layers = page.next_table();
  page.figure(measured_roofline(answer), layers);
  page.figure(measured_time_bar(answer));
  page.table("Layers", measured_layer_table(answer));
  return page.html();
}

Result measured_layers_result(const answer::LayersAnswer& answer, OutputFormat format) {
  Result result{measured_layer_table(answer)};
  result.order = measured_layer_order(answer);
  if (format == OutputFormat::kJson) result.json = measured_layers_json(answer);
  if (format == OutputFormat::kCsv) result.notes = measured_layers_lines(answer);
  std::string text = "\n";
  for (const auto& line : measured_layers_lines(answer)) text += escape_terminal(line) + '\n';
  result.text_after(text);
  return result;
}

}  // namespace ridgewatt::report
