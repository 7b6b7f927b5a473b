#include "ridgewatt/evaluate/score_tables.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "ridgewatt/base/sort.h"
#include "ridgewatt/report/svg.h"

namespace ridgewatt::evaluate {
namespace {

using report::Figure;
using report::FigureSource;
using report::Mark;
using report::palette_color;
using report::Plot;
using report::Series;

using Scores = std::vector<const StrategyScore*>;

// Groups by strategy, in the order of the number of profiles.
std::map<std::string, Scores> by_strategy(const Scores& scores) {
  std::map<std::string, Scores> result;
  for (const auto* score : scores) result[score->strategy].push_back(score);
  for (auto& [strategy, runs] : result) {
    sort_stably(runs, [](const auto* a, const auto* b) { return a->profiles < b->profiles; });
  }
  return result;
}

// Adds a strategy: a line over the number of profiles, and the band of its interval, in percent.
void add_line(Plot& plot, const std::string& name, const std::string& color, const Scores& runs,
              double StrategyScore::*value, Interval StrategyScore::*interval) {
  Series band{.mark = Mark::kBand, .color = color};
  Series line{.name = name, .mark = Mark::kLinePoints, .color = color};
  for (const auto* run : runs) {
    band.x.push_back(run->profiles), line.x.push_back(run->profiles);
    band.y.push_back(100 * (run->*interval).lo), band.y_hi.push_back(100 * (run->*interval).hi);
    line.y.push_back(100 * (run->*value));
  }
  if (runs.size() > 1) plot.series.push_back(std::move(band));
  plot.series.push_back(std::move(line));
}

Plot against_profiles(const std::string& title, const FigureSource& source,
                      const std::string& label, const Scores& scores, double StrategyScore::*value,
                      Interval StrategyScore::*interval) {
  Plot plot{.title = title,
            .source = source,
            .x = {.label = "profiles", .log = true},
            .y = {.label = label, .lo = 0.0}};
  if (value == &StrategyScore::solved) plot.y.hi = 104;  // a share
  std::size_t color = 0;
  for (const auto& [strategy, runs] : by_strategy(scores)) {
    add_line(plot, strategy, palette_color(color++), runs, value, interval);
  }
  return plot;
}

}  // namespace

std::vector<Figure> strategy_figures(const std::vector<StrategyScore>& scores,
                                     const std::string& board) {
  std::vector<Figure> figures;
  std::vector<std::pair<std::string, Scores>> groups;  // in order of appearance
  Plot payback{.title = "Minibatches after which a search has saved more than it cost",
               .source = {"", board, Provenance::kReplayed, "searches over measured sweeps"},
               .x = {.label = "energy of the search (J)", .log = true},
               .y = {.label = "minibatches", .log = true}};
  std::map<std::string, Series> paid;
  for (const auto& score : scores) {
    const std::string group = score.scenario + ", " + score.workload;
    auto at = std::find_if(groups.begin(), groups.end(),
                           [&](const auto& entry) { return entry.first == group; });
    if (at == groups.end()) at = groups.insert(at, {group, {}});
    at->second.push_back(&score);
    if (!std::isfinite(score.median_payback_minibatches)) continue;
    Series& series = paid[score.strategy];
    series.name = score.strategy;
    series.mark = Mark::kPoints;
    series.x.push_back(score.board_energy_j);
    series.y.push_back(score.median_payback_minibatches);
    series.labels.push_back(group);
  }
  for (const auto& [group, members] : groups) {
    const FigureSource source(members.front()->workload, board, Provenance::kReplayed,
                              "searches over a measured sweep");
    figures.emplace_back(against_profiles("Penalty: " + group, source, "mean penalty (%)", members,
                                          &StrategyScore::mean_penalty,
                                          &StrategyScore::mean_interval));
    figures.emplace_back(against_profiles("Solved: " + group, source, "problems solved (%)",
                                          members, &StrategyScore::solved,
                                          &StrategyScore::solved_interval));
  }
  for (auto& [strategy, series] : paid) payback.series.push_back(std::move(series));
  if (!payback.series.empty()) figures.emplace_back(std::move(payback));
  return figures;
}

}  // namespace ridgewatt::evaluate
