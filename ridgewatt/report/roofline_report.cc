#include "ridgewatt/report/roofline_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "ridgewatt/report/energy_figures.h"
#include "ridgewatt/report/svg.h"
#include "ridgewatt/report/table.h"

namespace ridgewatt {
namespace {

constexpr int kLineSteps = 160;
constexpr std::size_t kNamedModes = 5;  // chosen: colors that are told apart at a glance

bool has_place(const RooflineLayer& layer) {
  return layer.work_flop > 0 && layer.traffic_bytes > 0 && layer.time_s > 0;
}

double intensity(const RooflineLayer& layer) {
  return layer.work_flop / layer.traffic_bytes;
}

struct IntensityRange {
  double lo = 0.1;
  double hi = 1000;
};

// From a decade below to a decade above all balance points, and wherever layers lie.
IntensityRange intensity_range(const RooflineReport& report) {
  IntensityRange range{1e300, 0};
  for (const auto& mode : report.modes) {
    range.lo = std::min(range.lo, mode.roofline.time_balance() / 30);
    range.hi = std::max(range.hi, mode.roofline.time_balance() * 30);
  }
  for (const auto& layer : report.layers) {
    if (!has_place(layer)) continue;
    range.lo = std::min(range.lo, intensity(layer) / 1.5);
    range.hi = std::max(range.hi, intensity(layer) * 1.5);
  }
  return range.lo < range.hi ? range : IntensityRange{};
}

using RoofValue = std::function<double(const EnergyRoofline&, double intensity)>;
using LayerValue = std::function<double(const RooflineLayer&)>;

// One line per mode, the layers as points, and the whole model as a remark.
Plot roofline_plot(const RooflineReport& report, const std::string& name, const Axis& y,
                   const RoofValue& roof, const LayerValue& of_layer) {
  Plot plot{.title = fmt::format("{}: {}", report.title, name),
            .source = report.source,
            .x = {.label = "arithmetic intensity (FLOP/byte)", .log = true},
            .y = y};
  const IntensityRange range = intensity_range(report);
  const std::size_t count = report.modes.size();
  if (count > kNamedModes) {
    plot.note = fmt::format("{} modes, from {} (dark) to {} (light)", count,
                            report.modes.front().name, report.modes.back().name);
  }
  for (std::size_t m = 0; m < count; ++m) {
    Series line{.name = report.modes[m].name};
    // Few modes have colors of their own, a family a ramp.
    if (count > kNamedModes) {
      line.color = ramp_color(0.9 * static_cast<double>(m) / static_cast<double>(count - 1));
      if (m > 0 && m + 1 < count) line.name.clear();
    }
    std::vector<double> at;
    for (int i = 0; i <= kLineSteps; ++i) {
      at.push_back(range.lo * std::pow(range.hi / range.lo, i / static_cast<double>(kLineSteps)));
    }
    at.push_back(report.modes[m].roofline.time_balance());  // the corner itself
    std::sort(at.begin(), at.end());
    for (const double x : at) {
      line.x.push_back(x);
      line.y.push_back(roof(report.modes[m].roofline, x));
    }
    plot.series.push_back(std::move(line));
  }
  double total_s = 0;
  RooflineLayer whole;
  whole.name = "whole model";
  for (const auto& layer : report.layers) {
    total_s += layer.time_s;
    whole.work_flop += layer.work_flop;
    whole.traffic_bytes += layer.traffic_bytes;
    whole.time_s += layer.time_s;
    whole.energy_j += layer.energy_j;
  }
  Series points{.name = "layers", .mark = Mark::kPoints, .color = palette_color(5)};
  for (std::size_t i = 0; i < report.layers.size(); ++i) {
    const RooflineLayer& layer = report.layers[i];
    if (!has_place(layer) || !(of_layer(layer) > 0)) continue;
    points.x.push_back(intensity(layer));
    points.y.push_back(of_layer(layer));
    // The area of a point is its share of the time.
    points.radius.push_back(std::clamp(40 * std::sqrt(layer.time_s / total_s), 2.5, 16.0));
    points.rows.push_back(static_cast<int>(i));
    points.labels.push_back(fmt::format("{} ({})", layer.name, layer.bound));
  }
  if (!points.x.empty()) plot.series.push_back(std::move(points));
  if (report.mark_whole && has_place(whole) && of_layer(whole) > 0) {
    plot.remarks.push_back({.x = intensity(whole), .y = of_layer(whole), .text = whole.name});
  }
  if (count == 1) {
    plot.remarks.push_back({.x = report.modes[0].roofline.time_balance(), .text = "balance point"});
  }
  return plot;
}

Table balance_table(const RooflineReport& report) {
  Table table({{"mode"},
               {"peak_gflop_per_s", "peak (GFLOP/s)"},
               {"bandwidth_gb_per_s", "bandwidth (GB/s)"},
               {"time_balance", "B_tau (FLOP/byte)"},
               {"half_peak_intensity", "half peak of FLOP/J at (FLOP/byte)"},
               {"race_to_halt_ratio", "eta B_eps / B_tau", 3},
               {"static_power_w", "static power (W)"},
               {"max_power_w", "most power (W)"}});
  for (const auto& [name, roof] : report.modes) {
    table.add_row({name, roof.peak_flop_per_s / kGiga, roof.bandwidth_bytes_per_s / kGiga,
                   roof.time_balance(), roof.half_peak_intensity(), roof.race_to_halt_ratio(),
                   roof.static_power_w, roof.max_power_w()});
  }
  return table;
}

Table layer_table(const RooflineReport& report) {
  double total_s = 0;
  for (const auto& layer : report.layers) total_s += layer.time_s;
  Table table({{"name", "layer"},
               {"op", "operator"},
               {"bound", "bound by"},
               {"time_us"},
               {"share", "share (%)", 3},
               {"energy_mj", "energy (mJ)"},
               {"mflop", "work (MFLOP)"},
               {"traffic_mb", "traffic (MB)"},
               {"intensity", "FLOP/byte"},
               {"gflop_per_s", "GFLOP/s"}});
  for (const auto& layer : report.layers) {
    std::vector<Cell> row = {layer.name,
                             layer.op,
                             layer.bound,
                             layer.time_s * 1e6,
                             total_s > 0 ? 100 * layer.time_s / total_s : 0,
                             layer.energy_j * 1e3,
                             layer.work_flop / 1e6,
                             layer.traffic_bytes / 1e6,
                             Cell(),
                             Cell()};
    if (has_place(layer)) {
      row[8] = intensity(layer);
      row[9] = layer.work_flop / layer.time_s / kGiga;
    }
    table.add_row(std::move(row));
  }
  return table;
}

}  // namespace

Plot time_roofline_figure(const RooflineReport& report) {
  return roofline_plot(
      report, "time roofline", {.label = "performance (GFLOP/s)", .log = true},
      [](const auto& roof, double i) { return roof.attainable_flop_per_s(i) / kGiga; },
      [](const auto& layer) { return layer.work_flop / layer.time_s / kGiga; });
}

Plot energy_arch_figure(const RooflineReport& report) {
  return roofline_plot(
      report, "energy arch line", {.label = "energy efficiency (GFLOP/J)", .log = true},
      [](const auto& roof, double i) { return roof.attainable_flop_per_j(i) / kGiga; },
      [](const auto& layer) {
        return layer.energy_j > 0 ? layer.work_flop / layer.energy_j / kGiga : 0;
      });
}

Plot power_line_figure(const RooflineReport& report) {
  Axis axis{.label = "power (W)"};
  axis.lo = 0;
  return roofline_plot(
      report, "power line", axis, [](const auto& roof, double i) { return roof.power_at_w(i); },
      [](const auto& layer) { return layer.energy_j / layer.time_s; });
}

std::vector<Figure> roofline_figures(const RooflineReport& report) {
  std::vector<Figure> figures = {time_roofline_figure(report), energy_arch_figure(report),
                                 power_line_figure(report)};
  for (auto& figure : energy_figures(report.observations, report.source)) {
    figures.push_back(std::move(figure));
  }
  return figures;
}

std::string roofline_svg(const RooflineReport& report) {
  return to_svg(roofline_figures(report), report.title);
}

void add_roofline(HtmlReport& page, const RooflineReport& report) {
  page.paragraph(report.source.line() + ".");
  page.table("Balance points of the power modes", balance_table(report));
  const int layers = report.layers.empty() ? -1 : page.next_table();
  for (const auto& figure : roofline_figures(report)) page.figure(figure, layers);
  if (layers >= 0) {
    page.table(fmt::format("Layers in {}", report.modes.front().name), layer_table(report));
  }
}

std::string roofline_html(const RooflineReport& report) {
  HtmlReport page(report.title);
  add_roofline(page, report);
  return page.html();
}

}  // namespace ridgewatt
