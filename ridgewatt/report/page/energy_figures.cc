#include "ridgewatt/report/page/energy_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "ridgewatt/base/sentence.h"
#include "ridgewatt/report/svg.h"

namespace ridgewatt::report {
namespace {

constexpr std::size_t kMostPoints = 2000;

double samples(const Observation& observation) {
  return std::max(1, observation.point.batch);
}

double energy_mj(const Observation& observation) {
  return observation.energy_j() / samples(observation) * 1e3;
}

double highest(std::span<const Observation> observations, Knob knob) {
  double top = 0;
  for (const auto& observation : observations)
    top = std::max(top, observation.point.mode.get(knob));
  return top;
}

// The points at which all `knobs` have their highest value.
std::vector<Observation> at_highest(std::span<const Observation> observations,
                                    std::initializer_list<Knob> knobs) {
  std::vector<Observation> kept(observations.begin(), observations.end());
  for (const Knob knob : knobs) {
    const double top = highest(kept, knob);
    std::erase_if(kept, [&](const auto& o) { return o.point.mode.get(knob) != top; });
  }
  return kept;
}

std::string batch_name(int batch) {
  return batch > 0 ? fmt::format("batch {}", batch) : "all";
}

std::size_t index_in(const std::vector<double>& levels, double value) {
  return static_cast<std::size_t>(std::lower_bound(levels.begin(), levels.end(), value) -
                                  levels.begin());
}

std::size_t known_cells(const HeatMap& map) {
  std::size_t known = 0;
  for (const auto& row : map.values) {
    known += static_cast<std::size_t>(
        std::count_if(row.begin(), row.end(), [](double value) { return std::isfinite(value); }));
  }
  return known;
}

}  // namespace

Plot energy_over_gpu_clock(std::span<const Observation> observations, const FigureSource& source) {
  Plot plot{.title = "Energy over GPU clock, minima circled",
            .source = source,
            .x = {.label = "GPU clock (MHz)"},
            .y = {.label = "energy per sample (mJ)", .log = true}};
  std::map<int, std::map<double, double>> curves;  // batch -> GPU clock -> energy
  for (const auto& observation :
       at_highest(observations, {Knob::kCpuCores, Knob::kCpuClock, Knob::kMemClock})) {
    curves[observation.point.batch][mhz_of_hz(observation.point.mode.gpu_clock_hz)] =
        energy_mj(observation);
  }
  for (const auto& [batch, curve] : curves) {
    if (curve.empty()) continue;
    Series series{.name = batch_name(batch), .mark = Mark::kLinePoints};
    for (const auto& [clock, energy] : curve) {
      series.x.push_back(clock);
      series.y.push_back(energy);
    }
    const auto best = std::min_element(series.y.begin(), series.y.end()) - series.y.begin();
    const auto i = static_cast<std::size_t>(best);
    plot.remarks.push_back({.x = series.x[i],
                            .y = series.y[i],
                            .text = sentence("{:.3g} mJ at {} MHz", series.y[i], series.x[i])});
    plot.series.push_back(std::move(series));
  }
  return plot;
}

std::optional<HeatMap> energy_topology(std::span<const Observation> observations,
                                       const FigureSource& source) {
  std::vector<Observation> points = at_highest(observations, {Knob::kCpuCores, Knob::kMemClock});
  if (points.empty()) return std::nullopt;
  const auto less = [](const auto& a, const auto& b) { return energy_mj(a) < energy_mj(b); };
  const Observation best = *std::min_element(points.begin(), points.end(), less);
  std::erase_if(points, [&](const auto& o) { return o.point.batch != best.point.batch; });
  std::set<double> cpu;
  std::set<double> gpu;
  for (const auto& point : points) {
    cpu.insert(mhz_of_hz(point.point.mode.cpu_clock_hz));
    gpu.insert(mhz_of_hz(point.point.mode.gpu_clock_hz));
  }
  if (cpu.size() < 2 || gpu.size() < 2) return std::nullopt;
  HeatMap map{
      .title = fmt::format("Energy over CPU and GPU clock, {}", batch_name(best.point.batch)),
      .source = source,
      .note = "Contours: energy above the minimum",
      .x_label = "GPU clock (MHz)",
      .y_label = "CPU clock (MHz)",
      .value_label = "energy per sample (mJ)",
      .x = {gpu.begin(), gpu.end()},
      .y = {cpu.begin(), cpu.end()}};
  map.values.assign(map.y.size(),
                    std::vector<double>(map.x.size(), std::numeric_limits<double>::quiet_NaN()));
  for (const auto& point : points) {
    map.values[index_in(map.y, mhz_of_hz(point.point.mode.cpu_clock_hz))]
              [index_in(map.x, mhz_of_hz(point.point.mode.gpu_clock_hz))] = energy_mj(point);
  }
  const double least = energy_mj(best);
  map.color_hi = 3 * least;  // the much higher costs of low clocks would hide the rest
  map.contours = {{1.05 * least, "+5 %"},
                  {1.1 * least, "+10 %"},
                  {1.25 * least, "+25 %"},
                  {1.5 * least, "+50 %"}};
  const double gpu_best = mhz_of_hz(best.point.mode.gpu_clock_hz);
  const double cpu_best = mhz_of_hz(best.point.mode.cpu_clock_hz);
  map.remarks = {{.x = gpu_best, .y = cpu_best, .text = sentence("optimum, {:.3g} mJ", least)}};
  if (gpu_best != map.x.back() || cpu_best != map.y.back()) {
    map.remarks.push_back({.x = map.x.back(), .y = map.y.back(), .text = "highest clocks"});
  }
  return map;
}

Plot time_power_front(std::span<const Observation> observations, const FigureSource& source) {
  Plot plot{.title = "Time against power",
            .source = source,
            .x = {.label = "time per sample (ms)", .log = true},
            .y = {.label = "power (W)"}};
  std::vector<std::pair<double, double>> points;
  for (const auto& observation : observations) {
    points.emplace_back(observation.time_s / samples(observation) * 1e3, observation.power_w);
  }
  std::sort(points.begin(), points.end());
  Series all{.name = "modes", .mark = Mark::kPoints, .color = "#9AA5B1"};
  Series front{.name = "Pareto front", .mark = Mark::kSteps};
  double least_power = std::numeric_limits<double>::infinity();
  // Tens of thousands of points would only cover each other. The front uses all points.
  const std::size_t stride = (points.size() + kMostPoints - 1) / kMostPoints;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto [time, power] = points[i];
    if (i % stride == 0) {
      all.x.push_back(time);
      all.y.push_back(power);
      all.radius.push_back(2);
    }
    if (power >= least_power) continue;
    least_power = power;
    front.x.push_back(time);
    front.y.push_back(power);
  }
  front.color = palette_color(0);
  if (all.x.size() < points.size()) {
    plot.note =
        fmt::format("{} of {} modes shown, evenly spaced in time; the front is of all modes",
                    all.x.size(), points.size());
  }
  plot.series = {std::move(all), std::move(front)};
  return plot;
}

std::vector<Figure> energy_figures(std::span<const Observation> observations,
                                   const FigureSource& source) {
  constexpr std::size_t kFewestPoints = 3;  // fewest points of a curve
  std::vector<Figure> figures;
  Plot curves = energy_over_gpu_clock(observations, source);
  if (std::any_of(curves.series.begin(), curves.series.end(),
                  [](const auto& series) { return series.x.size() >= kFewestPoints; })) {
    figures.emplace_back(std::move(curves));
  }
  // A map that is mostly empty, such as that of a Pareto front, is not useful.
  if (auto map = energy_topology(observations, source);
      map && 2 * known_cells(*map) >= map->x.size() * map->y.size()) {
    figures.emplace_back(std::move(*map));
  }
  if (observations.size() >= kFewestPoints) {
    figures.emplace_back(time_power_front(observations, source));
  }
  return figures;
}

}  // namespace ridgewatt::report
