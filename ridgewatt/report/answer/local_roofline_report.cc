#include "ridgewatt/report/roofline_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "ridgewatt/base/sentence.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/report/columns.h"
#include "ridgewatt/twin/twin_roofline.h"

namespace ridgewatt::report {
namespace {

struct QuantityUnit {
  RoofQuantity quantity;
  const char* words;
  double scale;
  const char* unit;
};
constexpr QuantityUnit kQuantityUnits[] = {
    {RoofQuantity::kFp32, "peak of FP32", 1e-9, "GFLOP/s"},
    {RoofQuantity::kFp64, "peak of FP64", 1e-9, "GFLOP/s"},
    {RoofQuantity::kFp16, "peak of FP16", 1e-9, "GFLOP/s"},
    {RoofQuantity::kTensorFp16, "peak of FP16 on tensor cores", 1e-9, "GFLOP/s"},
    {RoofQuantity::kBandwidth, "memory bandwidth", 1e-9, "GB/s"},
    {RoofQuantity::kLaunch, "launch of a kernel", 1e6, "us"},
    {RoofQuantity::kEnergyPerFlop, "energy per FLOP", 1e12, "pJ"},
    {RoofQuantity::kEnergyPerByte, "energy per byte", 1e12, "pJ"},
    {RoofQuantity::kStaticPower, "static power", 1, "W"},
    {RoofQuantity::kIdlePower, "idle", 1, "W"},
    {RoofQuantity::kBusyPower, "busiest point", 1, "W"}};

std::string machine_words(const LocalRoofline& local) {
  return local.roofs.summary.device;
}

double least_s(const LocalRoofline& local) {
  double total = 0;
  for (const auto& layer : local.layers) total += layer.least_s;
  return total;
}

std::string layer_class(const workload::KernelCost& kernel) {
  return std::string(name_of(twin::roof_class_of(kernel.op_class)));
}

std::vector<RooflineLayer> layers_of(const LocalRoofline& local) {
  std::vector<RooflineLayer> layers;
  for (const auto& placed : local.layers) {
    const auto& kernel = local.cost.kernels[placed.kernel];
    RooflineLayer& layer = layers.emplace_back();
    layer.name = kernel.name;
    layer.op = kernel.op;
    layer.roof = layer_class(kernel);
    layer.bound = placed.compute_bound ? "compute" : "memory";
    layer.work_flop = placed.work_flop;
    layer.traffic_bytes = placed.traffic_bytes;
    layer.gpu_s = placed.least_s;
    layer.ceiling_flop_per_s = placed.attainable_flop_per_s;
    if (placed.least_j && placed.least_s > 0) layer.power_w = *placed.least_j / placed.least_s;
  }
  return layers;
}

std::vector<MeasuredPoint> points_of(const measure::LocalRoofs& roofs) {
  std::vector<MeasuredPoint> points;
  for (const auto& point : measure::microbench_points(roofs.summary)) {
    if (!point.streams()) continue;
    points.push_back({std::string(name_of(point.kernel)), point.intensity(),
                      point.work_flop / point.time_s, point.power_w});
  }
  return points;
}

std::optional<double> widest_spread(const measure::MicrobenchSummary& summary) {
  std::optional<double> widest;
  for (const auto& point : summary.points) {
    if (point.spread) widest = std::max(widest.value_or(0), *point.spread);
  }
  return widest;
}

ClassRoof roof_of(const LocalRoofline& local) {
  const auto& ceilings = local.roofs.fit.ceilings;
  ClassRoof roof{.name = kMeasuredRoof,
                 .arithmetic = std::string(name_of(Arithmetic::kFp32)),
                 .ceiling_flop_per_s = ceilings.find(RoofQuantity::kFp32)->value,
                 .ceiling_bandwidth_bytes_per_s = ceilings.find(RoofQuantity::kBandwidth)->value,
                 .reached = local.roofs.fit.roofline,
                 .compute_from = kMeasuredRoof,
                 .bandwidth_from = kMeasuredRoof};
  // The energies are fitted to all points, but the time roof is drawn at the measured ceilings.
  roof.reached.peak_flop_per_s = roof.ceiling_flop_per_s;
  roof.reached.bandwidth_bytes_per_s = roof.ceiling_bandwidth_bytes_per_s;
  roof.measured_flop_per_s = *ceilings.find(RoofQuantity::kFp32);
  roof.measured_bytes_per_s = *ceilings.find(RoofQuantity::kBandwidth);
  return roof;
}

RooflineReport figures_of(const LocalRoofline& local) {
  const std::string model =
      local.model.empty() ? "" : fmt::format("{}, batch {}", local.model, local.cost.batch);
  RooflineReport report{
      .title = local.model.empty() ? machine_words(local)
                                   : fmt::format("{} on {}", model, machine_words(local)),
      .source = {model, machine_words(local), Provenance::kMeasured,
                 local.model.empty() ? "" : "roofs; layers are counted and lie on them"}};
  report.intensity_label = "arithmetic intensity W/Q, by counts (FLOP/byte)";
  report.modes = {{"as it is set", {roof_of(local)}}};
  report.layers = layers_of(local);
  report.levels = local.levels;
  report.measured = points_of(local.roofs);
  return report;
}

}  // namespace

Table local_roof_table(const LocalRoofline& local) {
  Table table({{"quantity"},
               {"value"},
               {"lo", "from (90 %)"},
               {"hi", "to (90 %)"},
               {"unit"},
               {.name = "key", .rank = 5}});
  for (const auto& [quantity, words, scale, unit] : kQuantityUnits) {
    const MeasuredValue* measured = local.roofs.fit.ceilings.find(quantity);
    if (measured == nullptr) continue;
    table.add_row({std::string(words), measured->value * scale, measured->lo * scale,
                   measured->hi * scale, std::string(unit), std::string(name_of(quantity))});
  }
  return table;
}

Table local_point_table(const LocalRoofline& local) {
  Table table({{"kernel"},
               {"intensity_flop_per_byte"},
               {"gflops", "rate (GFLOP/s)"},
               {"gbytes_s", "bandwidth (GB/s)"},
               {"power_w"}});
  for (const auto& point : local.roofs.summary.points) {
    std::vector<Cell> row(table.columns().size());
    row[0] = std::string(name_of(point.kernel));
    if (point.traffic_bytes > 0) row[1] = point.work_flop / point.traffic_bytes;
    row[2] = point.work_flop / point.time_s / kGiga;
    row[3] = point.traffic_bytes / point.time_s / kGiga;
    if (point.power_w) row[4] = *point.power_w;
    table.add_row(std::move(row));
  }
  return table;
}

Table local_level_table(const LocalRoofline& local) {
  return level_table(figures_of(local));
}

Table local_layer_table(const LocalRoofline& local) {
  Table table({column("layer"),
               column("op", 1),
               {.name = "roof", .heading = "class", .rank = 3},
               {.name = "intensity", .heading = "FLOP per byte, by counts"},
               {.name = "attainable_gflop_per_s", .heading = "at the roof (GFLOP/s)", .rank = 1},
               {.name = "least_ms", .heading = "least time (ms)"},
               {.name = "share_pct", .heading = "share (%)", .digits = 3},
               {.name = "least_mj", .heading = "least energy (mJ)", .rank = 6},
               column("work_mflop", 7),
               {.name = "traffic_mb", .heading = "traffic (MB)", .rank = 7},
               column("bound", 2)});
  const double total_s = least_s(local);
  for (const auto& placed : local.layers) {
    const auto& kernel = local.cost.kernels[placed.kernel];
    std::vector<Cell> row(table.columns().size());
    row[0] = kernel.name;
    row[1] = kernel.op;
    row[2] = layer_class(kernel);
    if (placed.has_place()) {
      row[3] = placed.intensity();
      row[4] = placed.attainable_flop_per_s / kGiga;
    }
    row[5] = placed.least_s * 1e3;
    row[6] = total_s > 0 ? 100 * placed.least_s / total_s : 0;
    if (placed.least_j) row[7] = *placed.least_j * 1e3;
    row[8] = placed.work_flop / 1e6;
    row[9] = placed.traffic_bytes / 1e6;
    row[10] = std::string(placed.compute_bound ? "compute" : "memory");
    table.add_row(std::move(row));
  }
  return table;
}

std::vector<std::string> local_lines(const LocalRoofline& local) {
  const auto& fit = local.roofs.fit;
  std::vector<std::string> lines = {
      sentence("{}, measured: ridge at {:.3g} FLOP/byte. Values are the fastest repetition; "
               "bandwidth counts the bytes that a kernel reads and writes (STREAM: 24 per "
               "element of a triad).",
               machine_words(local),
               fit.ceilings.find(RoofQuantity::kFp32)->value /
                   fit.ceilings.find(RoofQuantity::kBandwidth)->value)};
  if (!local.roofs.not_gpu.empty()) {
    lines.push_back("The processor was measured instead of a GPU: " + local.roofs.not_gpu);
  }
  if (!local.roofs.powerless.empty()) {
    lines.push_back("Only roofs of time: " + local.roofs.powerless);
  } else {
    for (const auto& notice : fit.notices) lines.push_back("Fit: " + notice + ".");
  }
  if (const auto spread = widest_spread(local.roofs.summary)) {
    lines.push_back(
        sentence("The fastest repetitions of the two halves of a point differ by at "
                 "most {:.2g} %.",
                 100 * *spread));
  }
  if (local.model.empty()) return lines;
  double joules = 0;
  for (const auto& layer : local.layers) joules += layer.least_j.value_or(0);
  lines.push_back(sentence(
      "{}, batch {}: at least {:.4g} ms{} per minibatch on these roofs, if no data of a layer "
      "stays in a cache.",
      local.model, local.cost.batch, least_s(local) * 1e3,
      fit.energy ? sentence(" and {:.4g} J", joules) : ""));
  return lines;
}

Json local_json(const LocalRoofline& local) {
  Json json;
  json["device"] = "local";
  json["machine"] = machine_words(local);
  json["target"] = name_of(local.roofs.target);
  json["provenance"] = name_of(Provenance::kMeasured);
  json["no_power"] = local.roofs.powerless;
  json["roofs"] = local_roof_table(local).to_json();
  json["points"] = local_point_table(local).to_json();
  json["levels"] = local_level_table(local).to_json();
  json["notices"] = local.roofs.fit.notices;
  if (local.model.empty()) return json;
  json["model"] = local.model;
  json["batch"] = local.cost.batch;
  json["least_time_ms"] = least_s(local) * 1e3;
  json["layers"] = local_layer_table(local).to_json();
  return json;
}

std::string local_roofline_svg(const LocalRoofline& local) {
  return roofline_svg(figures_of(local));
}

std::string local_roofline_html(const LocalRoofline& local) {
  const RooflineReport report = figures_of(local);
  HtmlReport page(report.title);
  page.paragraph(report.source.line() + ".");
  for (const auto& line : local_lines(local)) page.paragraph(line);
  page.table("Roofs of this machine", local_roof_table(local));
  const int layers = local.model.empty() ? -1 : page.next_table();
  for (const auto& figure : roofline_figures(report)) page.figure(figure, layers);
  if (layers >= 0) page.table("Layers", local_layer_table(local));
  if (!local.levels.empty()) page.table("Caches", local_level_table(local));
  page.table("Points that were measured", local_point_table(local));
  return page.html();
}

Result local_result(const LocalRoofline& local) {
  const bool layers = !local.model.empty();
  Result result{layers ? local_layer_table(local) : local_roof_table(local)};
  result.json = local_json(local);
  result.lines_before(local_lines(local));
  result.lines_before({""});
  if (!local.levels.empty()) {
    result.before.back().table = local_level_table(local);
    result.lines_before({""});
  }
  if (!layers) return result;
  add_caveats(local.cost.caveats, result.json);
  result.order = kLeastTimeOrder;
  result.before.back().table = local_roof_table(local);
  result.lines_before({""});
  return result;
}

}  // namespace ridgewatt::report
