#include "ridgewatt/evaluate/score_tables.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>

#include "ridgewatt/base/statistics.h"
#include "ridgewatt/report/svg.h"

namespace ridgewatt::evaluate {
namespace {

using report::Figure;
using report::FigureSource;
using report::Mark;
using report::palette_color;
using report::Plot;
using report::Series;

Plot error_figure(const std::vector<RunScore>& scores, const std::string& quantity,
                  QuantityScore RunScore::*score, const FigureSource& source) {
  Plot plot{.title = "Error of predicted " + quantity + ", median and quartiles",
            .source = source,
            .x = {.label = "profiled modes", .log = true},
            .y = {.label = quantity + " MAPE (%)", .lo = 0.0}};
  std::map<std::string, std::map<int, std::vector<double>>> errors;
  for (const auto& run : scores) errors[run.method][run.size].push_back((run.*score).mape_pct);
  std::size_t color = 0;
  for (const auto& [method, sizes] : errors) {
    const std::string hue = palette_color(color++);
    Series band{.mark = Mark::kBand, .color = hue};
    Series line{.name = method, .mark = Mark::kLinePoints, .color = hue};
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
                                      const std::vector<Observation>& measured,
                                      const FigureSource& source) {
  Plot fronts{.title = "Pareto fronts of time and power",
              .source = source,
              .x = {.label = "time of a minibatch (ms)", .log = true},
              .y = {.label = "power (W)"}};
  fronts.series.push_back(front_series("measured front", Mark::kSteps, measured));
  std::map<std::string, const RunScore*> shown;
  for (const auto& run : scores) {
    const RunScore*& best = shown[run.method];
    if (best == nullptr || run.size > best->size) best = &run;
  }
  std::size_t color = 1;  // the first color is that of the measured front
  for (const auto& [method, run] : shown) {
    const std::string hue = palette_color(color++);
    fronts.series.push_back(
        front_series(fmt::format("{} of {} modes, predicted", method, run->size), Mark::kLine,
                     run->predicted_front));
    fronts.series.back().dashed = true;
    fronts.series.back().color = hue;
    fronts.series.push_back(front_series(fmt::format("{} of {} modes, when run", method, run->size),
                                         Mark::kPoints, run->measured_front));
    fronts.series.back().color = hue;
  }
  return {error_figure(scores, "time", &RunScore::time, source),
          error_figure(scores, "power", &RunScore::power, source), fronts};
}

}  // namespace ridgewatt::evaluate
