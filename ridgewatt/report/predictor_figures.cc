#include "ridgewatt/report/predictor_figures.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>

#include "ridgewatt/base/statistics.h"

namespace ridgewatt {
namespace {

Plot error_figure(const std::vector<RunScore>& scores, const std::string& quantity,
                  QuantityScore RunScore::*score) {
  Plot plot{.title = "Error of predicted " + quantity,
            .x = {.label = "profiled modes", .log = true},
            .y = {.label = quantity + " MAPE (%)", .lo = 0.0}};
  std::map<std::string, std::map<int, std::vector<double>>> errors;
  for (const auto& run : scores) errors[run.method][run.size].push_back((run.*score).mape_pct);
  for (const auto& [method, sizes] : errors) {
    Series band{.name = method + ", quartiles", .mark = Mark::kBand};
    Series line{.name = method, .mark = Mark::kLinePoints};
    for (const auto& [size, values] : sizes) {
      band.x.push_back(size), line.x.push_back(size);
      band.y.push_back(quantile(values, 0.25));
      band.y_hi.push_back(quantile(values, 0.75));
      line.y.push_back(median(values));
    }
    plot.series.push_back(std::move(band));
    plot.series.push_back(std::move(line));
  }
  return plot;
}

Series front_series(std::string name, Mark mark, const std::vector<Observation>& rows) {
  Series series{.name = std::move(name), .mark = mark};
  for (const auto& row : rows) {
    series.x.push_back(1e3 * row.time_s);
    series.y.push_back(row.power_w);
  }
  return series;
}

}  // namespace

std::vector<Figure> predictor_figures(const std::vector<RunScore>& scores,
                                      const std::vector<Observation>& measured) {
  Plot fronts{.title = "Pareto fronts of time and power",
              .x = {.label = "time of a minibatch (ms)", .log = true},
              .y = {.label = "power (W)"}};
  fronts.series.push_back(front_series("measured front", Mark::kSteps, measured));
  std::map<std::string, const RunScore*> shown;
  for (const auto& run : scores) {
    const RunScore*& best = shown[run.method];
    if (best == nullptr || run.size > best->size) best = &run;
  }
  for (const auto& [method, run] : shown) {
    fronts.series.push_back(
        front_series(fmt::format("{} of {} modes, predicted", method, run->size), Mark::kLine,
                     run->predicted_front));
    fronts.series.back().dashed = true;
    fronts.series.push_back(front_series(fmt::format("{} of {} modes, when run", method, run->size),
                                         Mark::kPoints, run->measured_front));
  }
  return {error_figure(scores, "time", &RunScore::time),
          error_figure(scores, "power", &RunScore::power), fronts};
}

}  // namespace ridgewatt
