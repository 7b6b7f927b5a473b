#include "ridgewatt/report/answer/schedule_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ridgewatt/base/sentence.h"

namespace ridgewatt::report {

Timeline cycle_timeline(const schedule::Simulation& simulation, double until_s,
                        const FigureSource& source) {
  Timeline figure{.title = "Which program holds the device", .source = source};
  figure.time_label = "time (ms)";
  figure.lanes = {"inference", "training", "mode change"};
  const auto add = [&](std::size_t lane, const schedule::Segment& segment,
                       const std::string& label) {
    figure.spans.push_back({lane, segment.start_s * 1e3, std::min(segment.end_s, until_s) * 1e3,
                            figure.lanes[lane], label});
  };
  for (const auto& segment : simulation.timeline) {
    if (segment.start_s >= until_s) break;
    const auto label = segment.batch > 0
                           ? fmt::format("batch of {}, {:.1f} W", segment.batch, segment.power_w)
                           : fmt::format("{:.1f} W", segment.power_w);
    using Kind = schedule::Segment::Kind;
    if (segment.kind == Kind::kInference || segment.kind == Kind::kShared) add(0, segment, label);
    if (segment.kind == Kind::kTraining || segment.kind == Kind::kShared) add(1, segment, label);
    if (segment.kind == Kind::kModeChange) add(2, segment, "");
  }
  return figure;
}

Plot cycle_power(const schedule::Simulation& simulation, double until_s, double idle_power_w,
                 const FigureSource& source) {
  Plot plot{.title = "Power while the device is held", .source = source};
  plot.x.label = "time (ms)";
  plot.y.label = "power (W)";
  plot.y.lo = 0;
  Series series;
  series.name = "power";
  series.mark = Mark::kSteps;
  double now_s = 0;
  const auto add = [&](double time_s, double power_w) {
    series.x.push_back(time_s * 1e3);
    series.y.push_back(power_w);
  };
  for (const auto& segment : simulation.timeline) {
    if (segment.start_s >= until_s) break;
    if (segment.start_s > now_s) add(now_s, idle_power_w);
    add(segment.start_s, segment.power_w);
    now_s = std::min(segment.end_s, until_s);
  }
  add(now_s, idle_power_w);
  plot.series.push_back(std::move(series));
  return plot;
}

Plot latency_distribution(
    const std::vector<std::pair<std::string, schedule::Simulation>>& simulations,
    double max_latency_s, const FigureSource& source) {
  constexpr std::size_t kPoints = 200;
  Plot plot{.title = "Latency of requests", .source = source};
  plot.x.label = "latency (ms)";
  plot.y.label = "share of requests (%)";
  plot.y.lo = 0;
  plot.y.hi = 100;
  for (const auto& [name, simulation] : simulations) {
    std::vector<double> sorted = simulation.latencies_s;
    if (sorted.empty()) continue;
    std::sort(sorted.begin(), sorted.end());
    Series series;
    series.name = name;
    for (std::size_t i = 0; i <= kPoints; ++i) {
      const std::size_t rank = i * (sorted.size() - 1) / kPoints;
      series.x.push_back(sorted[rank] * 1e3);
      series.y.push_back(100 * static_cast<double>(rank + 1) / static_cast<double>(sorted.size()));
    }
    plot.series.push_back(std::move(series));
  }
  if (std::isfinite(max_latency_s)) {
    Remark bound;
    bound.x = max_latency_s * 1e3;
    bound.text = sentence("bound, {:g} ms", *bound.x);
    plot.remarks.push_back(std::move(bound));
  }
  return plot;
}

HeatMap throughput_map(const schedule::PlanTable& table, const schedule::PlanProblem& problem,
                       const std::vector<double>& power_w, const std::vector<double>& latency_s,
                       const FigureSource& source) {
  HeatMap map{
      .title = sentence("Training throughput at {:g} requests per second", problem.arrival_rate_hz),
      .source = source};
  map.x_label = "power budget (W)";
  map.y_label = "latency bound (ms)";
  map.value_label = "training minibatches per second";
  map.x = power_w;
  int none = 0;
  for (const double bound_s : latency_s) {
    map.y.push_back(bound_s * 1e3);
    auto& row = map.values.emplace_back();
    for (const double budget_w : power_w) {
      schedule::PlanProblem cell = problem;
      cell.max_latency_s = bound_s;
      cell.max_power_w = budget_w;
      const auto best = table.best_throughput(cell);
      row.push_back(best.value_or(std::numeric_limits<double>::quiet_NaN()));
      none += best ? 0 : 1;
    }
  }
  if (none > 0) {
    map.note = fmt::format("{} of {} cells are empty: no plan meets both bounds", none,
                           power_w.size() * latency_s.size());
  }
  return map;
}

}  // namespace ridgewatt::report
