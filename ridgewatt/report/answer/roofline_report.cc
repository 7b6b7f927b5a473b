#include "ridgewatt/report/roofline_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "ridgewatt/base/contains.h"
#include "ridgewatt/base/plural.h"
#include "ridgewatt/report/columns.h"
#include "ridgewatt/report/page/energy_figures.h"
#include "ridgewatt/report/svg.h"
#include "ridgewatt/report/table.h"

namespace ridgewatt::report {
namespace {

constexpr int kLineSteps = 160;
constexpr std::size_t kNamedModes = 5;  // chosen: colors that are easy to distinguish
constexpr std::size_t kFirstLayerColor = 5;

double giga(double value) {
  return value / kGiga;
}

struct IntensityRange {
  double lo = 0.1;
  double hi = 1000;
};

// From a factor of 30 below to a factor of 30 above all balance points, extended to include all
// points and layers.
IntensityRange intensity_range(const RooflineReport& report) {
  IntensityRange range{1e300, 0};
  for (const auto& mode : report.modes) {
    for (const auto& roof : mode.roofs) {
      range.lo = std::min(range.lo, roof.reached.time_balance() / 30);
      range.hi = std::max(range.hi, roof.reached.time_balance() * 30);
    }
  }
  for (const auto& point : report.measured) {
    if (!(point.intensity > 0)) continue;
    range.lo = std::min(range.lo, point.intensity / 1.5);
    range.hi = std::max(range.hi, point.intensity * 1.5);
  }
  for (const auto& layer : report.layers) {
    if (!layer.has_place()) continue;
    range.lo = std::min(range.lo, layer.intensity() / 1.5);
    range.hi = std::max(range.hi, layer.intensity() * 1.5);
  }
  return range.lo < range.hi ? range : IntensityRange{};
}

using RoofValue = std::function<double(const roofline::EnergyRoofline&, double intensity)>;
using LayerValue = std::function<double(const RooflineLayer&)>;

// A line over all intensities, with exact points at the corners `kinks`.
Series roof_line(std::string name, const IntensityRange& range, const std::vector<double>& kinks,
                 const std::function<double(double intensity)>& value) {
  Series line{.name = std::move(name)};
  line.x = kinks;
  for (int i = 0; i <= kLineSteps; ++i) {
    line.x.push_back(range.lo * std::pow(range.hi / range.lo, i / static_cast<double>(kLineSteps)));
  }
  std::erase_if(line.x, [](double x) { return !std::isfinite(x) || x <= 0; });
  std::sort(line.x.begin(), line.x.end());
  for (const double x : line.x) line.y.push_back(value(x));
  return line;
}

// Returns all modes or, if there are too many, evenly spaced ones including the first and the last.
std::vector<std::size_t> drawn_modes(std::size_t count) {
  const std::size_t drawn = std::min(count, kMostRoofs);
  std::vector<std::size_t> modes(drawn);
  for (std::size_t i = 0; i < drawn; ++i) {
    modes[i] = drawn < 2 ? 0 : i * (count - 1) / (drawn - 1);
  }
  return modes;
}

// Adds the reached roofs: the leading class in every mode, other classes only in the first mode.
void add_reached(const RooflineReport& report, const IntensityRange& range, const RoofValue& value,
                 Plot& plot) {
  const std::vector<std::size_t> drawn = drawn_modes(report.modes.size());
  const std::size_t count = drawn.size();
  if (count > kNamedModes) {
    plot.note = fmt::format(
        "{}{}, from {} (dark) to {} (light)", counted(report.modes.size(), "mode"),
        count < report.modes.size() ? fmt::format(", {} of them shown, evenly spaced", count) : "",
        report.modes.front().name, report.modes.back().name);
  }
  const auto words = [](const ClassRoof& roof) {
    return roof.name == kMeasuredRoof ? roof.name : fmt::format("reached ({})", roof.name);
  };
  const auto add = [&](const std::string& name, const roofline::EnergyRoofline& roof) -> Series& {
    const std::vector<double> kinks = {roof.time_balance(), roof.cap_from_intensity(),
                                       roof.cap_to_intensity()};
    plot.series.push_back(
        roof_line(name, range, kinks, [&](double intensity) { return value(roof, intensity); }));
    plot.series.back().dashed = true;
    return plot.series.back();
  };
  for (std::size_t m = 0; m < count; ++m) {
    const RooflineMode& mode = report.modes[drawn[m]];
    const ClassRoof& leading = mode.roofs.front();
    Series& line = add(fmt::format("{}, {}", mode.name, words(leading)), leading.reached);
    if (count <= kNamedModes) continue;
    // With many modes, the colors form a ramp, and only the ends are named.
    line.color = ramp_color(0.9 * static_cast<double>(m) / static_cast<double>(count - 1));
    if (m > 0 && m + 1 < count) line.name.clear();
  }
  const RooflineMode& first = report.modes.front();
  for (std::size_t r = 1; r < first.roofs.size(); ++r) {
    add(fmt::format("{}, {}", first.name, words(first.roofs[r])), first.roofs[r].reached);
  }
}

// Adds the ceilings of the first mode: one per kind of arithmetic, and one per cache level.
void add_ceilings(const RooflineReport& report, const IntensityRange& range, Plot& plot) {
  const RooflineMode& first = report.modes.front();
  std::vector<std::string> drawn;
  double top_flop_per_s = 0;
  for (const auto& roof : first.roofs) {
    top_flop_per_s = std::max(top_flop_per_s, roof.ceiling_flop_per_s);
    if (contains(drawn, roof.arithmetic)) continue;
    drawn.push_back(roof.arithmetic);
    plot.series.push_back(roof_line(
        fmt::format("{}, ceiling ({})", first.name, roof.arithmetic), range,
        {roof.ceiling_flop_per_s / roof.ceiling_bandwidth_bytes_per_s}, [&](double intensity) {
          return giga(
              std::min(roof.ceiling_flop_per_s, intensity * roof.ceiling_bandwidth_bytes_per_s));
        }));
  }
  roofline::HierarchicalRoofline caches;
  caches.peak_flop_per_s = top_flop_per_s;
  for (const auto& level : report.levels) {
    caches.levels.push_back({level.name, level.bandwidth_bytes_per_s, 0});
    const roofline::EnergyRoofline slope = caches.level(caches.levels.size() - 1);
    plot.series.push_back(roof_line(
        fmt::format("{}, ceiling ({})", first.name, level.name), range, {slope.time_balance()},
        [&](double intensity) { return giga(slope.attainable_flop_per_s(intensity)); }));
    plot.series.back().color = "#9AA5B1";
  }
}

// Adds layers as points, with one series per class, and the whole model as a remark.
void add_layers(const RooflineReport& report, const LayerValue& value, Plot& plot) {
  RooflineLayer whole;
  whole.name = "whole model";
  std::vector<std::string> classes;
  for (const auto& layer : report.layers) {
    whole.work_flop += layer.work_flop;
    whole.traffic_bytes += layer.traffic_bytes;
    whole.gpu_s += layer.gpu_s;
    whole.power_w += layer.power_w * layer.gpu_s;
    if (layer.has_place() && !contains(classes, layer.roof)) classes.push_back(layer.roof);
  }
  for (std::size_t c = 0; c < classes.size(); ++c) {
    Series points{.name = "layers: " + classes[c],
                  .mark = Mark::kPoints,
                  .color = palette_color(kFirstLayerColor + c)};
    for (std::size_t i = 0; i < report.layers.size(); ++i) {
      const RooflineLayer& layer = report.layers[i];
      if (!layer.has_place() || layer.roof != classes[c]) continue;
      points.x.push_back(layer.intensity());
      points.y.push_back(value(layer));
      // The area of a point is proportional to its share of the time.
      points.radius.push_back(std::clamp(40 * std::sqrt(layer.gpu_s / whole.gpu_s), 2.5, 16.0));
      points.rows.push_back(static_cast<int>(i));
      points.labels.push_back(fmt::format("{} ({})", layer.name, layer.bound));
    }
    plot.series.push_back(std::move(points));
  }
  if (!whole.has_place()) return;
  whole.power_w /= whole.gpu_s;
  plot.remarks.push_back({.x = whole.intensity(), .y = value(whole), .text = whole.name});
}

// Adds the results of microbenchmarks as points. The measured roofs are fitted to them.
void add_measured(const RooflineReport& report,
                  const std::function<double(const MeasuredPoint&)>& value, Plot& plot) {
  Series points{.name = "microbenchmarks", .mark = Mark::kPoints, .color = "#4A5568"};
  for (const auto& point : report.measured) {
    const double y = value(point);
    if (!(point.intensity > 0) || !(y > 0)) continue;
    points.x.push_back(point.intensity);
    points.y.push_back(y);
    points.labels.push_back(point.name);
  }
  if (!points.x.empty()) plot.series.push_back(std::move(points));
}

// True if energy and power are known for every roof.
bool knows_energy(const RooflineReport& report) {
  for (const auto& mode : report.modes) {
    if (std::any_of(mode.roofs.begin(), mode.roofs.end(),
                    [](const ClassRoof& roof) { return roof.time_only(); })) {
      return false;
    }
  }
  return true;
}

Plot empty_plot(const RooflineReport& report, const std::string& name, const Axis& y) {
  return {.title = fmt::format("{}: {}", report.title, name),
          .source = report.source,
          .x = {.label = report.intensity_label, .log = true},
          .y = y};
}

void mark_ridge(const RooflineReport& report, Plot& plot) {
  if (report.modes.size() > 1 || report.modes.front().roofs.size() > 1) return;
  const ClassRoof& roof = report.modes.front().roofs.front();
  plot.remarks.push_back({.x = roof.reached.time_balance(), .text = "balance point"});
}

Table balance_table(const RooflineReport& report) {
  Table table({{"mode"},
               {"roof", "class"},
               {"arithmetic", "runs in"},
               {"share", "share of GPU time (%)", 3},
               {"ceiling_gflop_per_s", "ceiling (GFLOP/s)"},
               {"reached_gflop_per_s", "reached (GFLOP/s)"},
               {"ceiling_gb_per_s", "ceiling (GB/s)"},
               {"reached_gb_per_s", "reached (GB/s)"},
               {"compute_ceiling_from", "ceiling of compute"},
               {"bandwidth_ceiling_from", "ceiling of bandwidth"},
               {"time_balance", "B_tau (FLOP/byte)"},
               {"half_peak_intensity", "half peak of FLOP/J at (FLOP/byte)"},
               {"race_to_halt_ratio", "eta B_eps / B_tau", 3},
               {"static_power_w", "static power (W)"},
               {"max_power_w", "maximum power (W)"}});
  for (const auto& [name, roofs] : report.modes) {
    for (const auto& roof : roofs) {
      const roofline::EnergyRoofline& r = roof.reached;
      std::vector<Cell> row = {name,
                               roof.name,
                               roof.arithmetic,
                               roof.share > 0 ? Cell(100 * roof.share) : Cell(),
                               giga(roof.ceiling_flop_per_s),
                               giga(r.peak_flop_per_s),
                               giga(roof.ceiling_bandwidth_bytes_per_s),
                               giga(r.bandwidth_bytes_per_s),
                               roof.compute_from,
                               roof.bandwidth_from,
                               r.time_balance()};
      if (!roof.time_only()) {
        for (const double value :
             {r.half_peak_intensity(), r.race_to_halt_ratio(), r.static_power_w, r.max_power_w()}) {
          row.emplace_back(value);
        }
      }
      row.resize(table.columns().size());
      table.add_row(std::move(row));
    }
  }
  return table;
}

}  // namespace

Plot time_roofline_figure(const RooflineReport& report) {
  Plot plot = empty_plot(report, "time roofline", {.label = "performance (GFLOP/s)", .log = true});
  const IntensityRange range = intensity_range(report);
  add_ceilings(report, range, plot);
  add_reached(
      report, range,
      [](const auto& roof, double intensity) {
        return giga(roof.attainable_flop_per_s(intensity));
      },
      plot);
  add_measured(
      report, [](const auto& point) { return giga(point.flop_per_s); }, plot);
  add_layers(
      report, [](const auto& layer) { return giga(layer.work_flop / layer.gpu_s); }, plot);
  mark_ridge(report, plot);
  return plot;
}

Plot energy_arch_figure(const RooflineReport& report) {
  Plot plot =
      empty_plot(report, "energy arch line", {.label = "energy efficiency (GFLOP/J)", .log = true});
  add_reached(
      report, intensity_range(report),
      [](const auto& roof, double intensity) {
        return giga(roof.attainable_flop_per_j(intensity));
      },
      plot);
  add_measured(
      report,
      [](const auto& point) { return giga(point.flop_per_s / point.power_w.value_or(1e300)); },
      plot);
  add_layers(
      report,
      [](const auto& layer) { return giga(layer.work_flop / (layer.power_w * layer.gpu_s)); },
      plot);
  mark_ridge(report, plot);
  return plot;
}

Plot power_line_figure(const RooflineReport& report) {
  Axis axis{.label = "power while a kernel runs (W)"};
  axis.lo = 0;
  Plot plot = empty_plot(report, "power line", axis);
  add_reached(
      report, intensity_range(report),
      [](const auto& roof, double intensity) { return roof.power_at_w(intensity); }, plot);
  add_measured(
      report, [](const auto& point) { return point.power_w.value_or(0); }, plot);
  add_layers(
      report, [](const auto& layer) { return layer.power_w; }, plot);
  mark_ridge(report, plot);
  const double cap_w = report.modes.front().roofs.front().reached.power_cap_w;
  if (std::isfinite(cap_w)) plot.remarks.push_back({.y = cap_w, .text = "power limit"});
  return plot;
}

StackedBars time_parts_figure(const RooflineReport& report) {
  StackedBars bars{.title = fmt::format("{}: where the time goes", report.title),
                   .source = report.source,
                   .value_label = "time of a minibatch (ms)",
                   .bars = {report.modes.front().name}};
  for (const auto& part : report.parts) {
    bars.parts.push_back(part.name);
    bars.values.push_back({part.time_s * 1e3});
  }
  return bars;
}

std::vector<Figure> roofline_figures(const RooflineReport& report) {
  std::vector<Figure> figures = {time_roofline_figure(report)};
  if (knows_energy(report)) {
    figures.emplace_back(energy_arch_figure(report));
    figures.emplace_back(power_line_figure(report));
  }
  if (!report.parts.empty()) figures.emplace_back(time_parts_figure(report));
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
  for (const auto& line : report.ceilings) page.paragraph(line);
  page.table("Roofs of the power modes", balance_table(report));
  const int layers = report.layers.empty() ? -1 : page.next_table();
  for (const auto& figure : roofline_figures(report)) page.figure(figure, layers);
  if (layers >= 0) {
    page.table(fmt::format("Layers in {}", report.modes.front().name),
               roofline_layer_table(report.layers));
    page.table("Where the minibatch's time goes", time_parts_table(report.parts));
  }
  if (!report.levels.empty()) page.table("Caches", level_table(report));
}

std::string roofline_html(const RooflineReport& report) {
  HtmlReport page(report.title);
  add_roofline(page, report);
  return page.html();
}

}  // namespace ridgewatt::report
