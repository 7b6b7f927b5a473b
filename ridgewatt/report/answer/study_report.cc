#include "ridgewatt/report/study_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "ridgewatt/base/plural.h"
#include "ridgewatt/base/sentence.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/report/html_report.h"
#include "ridgewatt/report/svg.h"

namespace ridgewatt::report {
namespace {

constexpr std::size_t kMostBars = 16;
constexpr std::array<std::string_view, 2> kCompute = {"sample_compute_s", "compute_s"};
constexpr std::array<std::string_view, 2> kStall = {"sample_stall_s", "stall_s"};

struct CellValues {
  study::StudyCell cell;
  std::map<std::string, std::vector<double>> values;  // by response
  double mean(const std::string& response) const {    // geometric mean
    double sum = 0;
    for (const double value : values.at(response)) sum += std::log(value);
    return std::exp(sum / static_cast<double>(values.at(response).size()));
  }
};

// Returns the cells in the order of the study's levels.
std::vector<CellValues> cells_of(const StudyReport& report) {
  const auto responses = study::common_responses(report.results);
  std::map<std::vector<std::size_t>, CellValues> cells;
  for (const auto& result : report.results) {
    std::vector<std::size_t> order;
    for (std::size_t f = 0; f < report.study.factors.size(); ++f) {
      const auto& levels = report.study.factors[f].levels;
      order.push_back(static_cast<std::size_t>(
          std::find(levels.begin(), levels.end(), result.cell[f]) - levels.begin()));
    }
    auto& cell = cells[order];
    cell.cell = result.cell;
    for (const auto& response : responses) {
      cell.values[response].push_back(result.responses.at(response));
    }
  }
  std::vector<CellValues> ordered;
  for (auto& [order, cell] : cells) ordered.push_back(std::move(cell));
  return ordered;
}

// For example, "GPU clock (MHz)" for gpu_mhz. Other factors keep their name.
std::string knob_words(const std::string& factor) {
  static const std::map<std::string, std::string> kWords = {{"gpu_mhz", "GPU clock (MHz)"},
                                                            {"cpu_mhz", "CPU clock (MHz)"},
                                                            {"mem_mhz", "memory clock (MHz)"},
                                                            {"cpu_cores", "CPU cores"},
                                                            {"batch", "batch"}};
  const auto found = kWords.find(factor);
  return found == kWords.end() ? factor : found->second;
}

std::string cell_name(const StudyReport& report, const study::StudyCell& cell) {
  std::string name;
  for (std::size_t f = 0; f < cell.size(); ++f) {
    const std::string& factor = report.study.factors[f].name;
    static const std::map<std::string, std::string> kShort = {
        {"gpu_mhz", "GPU"}, {"cpu_mhz", "CPU"}, {"mem_mhz", "memory"}, {"cpu_cores", "cores"}};
    const auto found = kShort.find(factor);
    const std::string& word = found == kShort.end() ? factor : found->second;
    name += (f > 0 ? ", " : "") + (parse_double(cell[f]) ? word + " " + cell[f] : cell[f]);
  }
  return name;
}

// Returns the first of `names` that every result has, or an empty string.
std::string first_of(const std::vector<CellValues>& cells,
                     std::span<const std::string_view> names) {
  for (const auto name : names) {
    if (!cells.empty() && cells.front().values.contains(std::string(name)))
      return std::string(name);
  }
  return "";
}

std::string settings_drawn(std::size_t shown, std::size_t all) {
  return shown < all ? fmt::format("{} of {} settings shown, evenly spaced", shown, all) : "";
}

StackedBars stacked_time(const StudyReport& report, const std::vector<CellValues>& cells) {
  StackedBars bars{.title = "Where the time goes", .source = report.source()};
  std::vector<std::string> parts = {first_of(cells, kCompute), first_of(cells, kStall)};
  if (!parts[0].empty() && !parts[1].empty()) {
    bars.value_label =
        fmt::format("{} (ms)", study::response_words(first_of(cells, study::kTimeResponses)));
  } else {
    parts.clear();
    for (const auto& [response, values] : cells.front().values) {
      if (response.starts_with("phase ")) parts.push_back(response);
    }
    if (parts.empty()) parts = {first_of(cells, study::kTimeResponses)};
    bars.value_label = "time (ms)";
  }
  bars.values.resize(parts.size());
  const std::size_t shown = std::min(kMostBars, cells.size());
  for (std::size_t n = 0; n < shown; ++n) {
    // Evenly spaced cells, including the first and the last.
    const std::size_t i = shown < 2 ? 0 : n * (cells.size() - 1) / (shown - 1);
    bars.bars.push_back(cell_name(report, cells[i].cell));
    for (std::size_t p = 0; p < parts.size(); ++p) {
      bars.values[p].push_back(1e3 * cells[i].mean(parts[p]));
    }
  }
  bars.note = settings_drawn(shown, cells.size());
  for (const auto& part : parts) bars.parts.push_back(study::response_words(part));
  return bars;
}

ViolinPlot variation(const StudyReport& report, const std::vector<CellValues>& cells) {
  const std::string response = first_of(cells, study::kTimeResponses);
  ViolinPlot plot{.title = "Variation of " + study::response_words(response),
                  .source = report.source(),
                  .value = {.label = study::response_words(response) + " (ms)"}};
  std::vector<const CellValues*> repeated;
  for (const auto& cell : cells) {
    if (cell.values.at(response).size() >= 3) repeated.push_back(&cell);
  }
  const std::size_t shown = std::min(kMostBars, repeated.size());
  for (std::size_t n = 0; n < shown; ++n) {
    const CellValues& cell = *repeated[shown < 2 ? 0 : n * (repeated.size() - 1) / (shown - 1)];
    plot.names.push_back(cell_name(report, cell.cell));
    std::vector<double> values_ms = cell.values.at(response);
    for (auto& value : values_ms) value *= 1e3;
    plot.values.push_back(std::move(values_ms));
  }
  plot.note = settings_drawn(shown, cells.size());
  return plot;
}

// Points link to the rows of the table of cells.
Plot time_energy_front(const StudyReport& report, const std::vector<CellValues>& cells,
                       const std::string& time, const std::string& energy) {
  Plot plot{.title = "Time against energy",
            .source = report.source(),
            .x = {.label = study::response_words(time) + " (ms)"},
            .y = {.label = study::response_words(energy) + " (J)"}};
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < cells.size(); ++i) order.emplace_back(cells[i].mean(time) * 1e3, i);
  std::sort(order.begin(), order.end());
  Series all{.name = "settings", .mark = Mark::kPoints, .color = "#9AA5B1"};
  Series front{.name = "Pareto front", .mark = Mark::kSteps, .color = palette_color(0)};
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [time_ms, i] : order) {
    const double energy_j = cells[i].mean(energy);
    all.x.push_back(time_ms);
    all.y.push_back(energy_j);
    all.rows.push_back(static_cast<int>(i));
    all.labels.push_back(cell_name(report, cells[i].cell));
    if (energy_j >= least) continue;
    least = energy_j;
    front.x.push_back(time_ms);
    front.y.push_back(energy_j);
  }
  plot.series = {std::move(all), std::move(front)};
  return plot;
}

std::vector<double> numeric_levels(const study::StudyFactor& factor) {
  std::set<double> levels;
  for (const auto& level : factor.levels) {
    const auto number = parse_double(level);
    if (!number) return {};
    levels.insert(*number);
  }
  return {levels.begin(), levels.end()};
}

// Energy over the first two numeric factors, averaged over all other factors. Empty if there are
// fewer than two numeric factors.
std::optional<HeatMap> energy_surface(const StudyReport& report,
                                      const std::vector<CellValues>& cells,
                                      const std::string& energy) {
  std::vector<std::size_t> numeric;
  for (std::size_t f = 0; f < report.study.factors.size(); ++f) {
    if (numeric_levels(report.study.factors[f]).size() > 1) numeric.push_back(f);
  }
  if (numeric.size() < 2) return std::nullopt;
  const auto& x = report.study.factors[numeric[0]];
  const auto& y = report.study.factors[numeric[1]];
  HeatMap map{.title = fmt::format("Energy over {} and {}", knob_words(x.name), knob_words(y.name)),
              .source = report.source(),
              .note = "Geometric mean over all other settings. Contours: energy above the minimum",
              .x_label = knob_words(x.name),
              .y_label = knob_words(y.name),
              .value_label = study::response_words(energy) + " (J)",
              .x = numeric_levels(x),
              .y = numeric_levels(y)};
  std::map<std::pair<double, double>, std::pair<double, int>> sums;
  for (const auto& cell : cells) {
    auto& sum = sums[{*parse_double(cell.cell[numeric[1]]), *parse_double(cell.cell[numeric[0]])}];
    sum.first += std::log(cell.mean(energy));
    ++sum.second;
  }
  double least = std::numeric_limits<double>::infinity();
  for (const double row : map.y) {
    auto& values = map.values.emplace_back();
    for (const double column : map.x) {
      const auto found = sums.find({row, column});
      values.push_back(found == sums.end() ? std::numeric_limits<double>::quiet_NaN()
                                           : std::exp(found->second.first / found->second.second));
      if (values.back() < least) {
        least = values.back();
        map.remarks = {{.x = column, .y = row, .text = sentence("least, {:.3g} J", least)}};
      }
    }
  }
  map.color_hi = 3 * least;
  map.contours = {{1.05 * least, "+5 %"},
                  {1.1 * least, "+10 %"},
                  {1.25 * least, "+25 %"},
                  {1.5 * least, "+50 %"}};
  return map;
}

}  // namespace

FigureSource StudyReport::source() const {
  const std::string of = kind.empty() ? workload : workload + " " + kind;
  return {workload.empty() ? study.title : of, board, provenance, where == board ? "" : where};
}

Table effect_table(const study::StudyAnalysis& analysis) {
  Table table({{"response"},
               {"factor"},
               {"from"},
               {"to"},
               {"ratio"},
               {.name = "ratio_lo", .heading = "ratio from (95 %)", .rank = 1},
               {.name = "ratio_hi", .heading = "ratio to (95 %)", .rank = 1},
               {.name = "blocks", .rank = 2},
               {"shown"}});
  for (const auto& effect : analysis.effects) {
    const bool has_interval = effect.blocks > 1;
    table.add_row({effect.response, effect.factor, effect.from, effect.to, effect.ratio,
                   has_interval ? effect.lo : Cell(), has_interval ? effect.hi : Cell(),
                   std::int64_t{effect.blocks}, effect.shown() ? "yes" : "no"});
  }
  return table;
}

Table optimum_table(const study::StudyAnalysis& analysis) {
  Table table({{"factor"},
               {"response"},
               {"group"},
               {"level", "least at", 6},
               {"inside"},
               {"saving_pct", "saving (%)", 3},
               {"slowdown_pct", "more time (%)", 3}});
  for (const auto& optimum : analysis.optima) {
    for (const auto& group : optimum.groups) {
      table.add_row({optimum.factor, optimum.response, group.group, group.level,
                     group.interior ? "yes" : "no", 100 * group.saving, 100 * group.slowdown});
    }
  }
  return table;
}

Table cell_table(const StudyReport& report) {
  const auto responses = study::common_responses(report.results);
  std::vector<Column> columns;
  for (const auto& factor : report.study.factors) columns.push_back({factor.name});
  columns.push_back({"runs"});
  // Factors are always shown, responses only if there is space.
  for (const auto& response : responses) {
    columns.push_back({.name = response, .rank = static_cast<int>(columns.size())});
  }
  Table table(std::move(columns));
  for (const auto& cell : cells_of(report)) {
    if (table.rows().size() == kMostTableRows) break;
    std::vector<Cell> row(cell.cell.begin(), cell.cell.end());
    row.emplace_back(static_cast<std::int64_t>(cell.values.begin()->second.size()));
    for (const auto& response : responses) row.emplace_back(cell.mean(response));
    table.add_row(std::move(row));
  }
  return table;
}

std::vector<Figure> study_figures(const StudyReport& report) {
  const auto cells = cells_of(report);
  std::vector<Figure> figures;
  const std::string time = first_of(cells, study::kTimeResponses);
  if (time.empty()) return figures;
  figures.emplace_back(stacked_time(report, cells));
  ViolinPlot violins = variation(report, cells);
  if (!violins.names.empty()) figures.emplace_back(std::move(violins));
  const std::string energy = first_of(cells, study::kEnergyResponses);
  if (energy.empty()) return figures;
  figures.emplace_back(time_energy_front(report, cells, time, energy));
  if (auto surface = energy_surface(report, cells, energy)) {
    figures.emplace_back(std::move(*surface));
  }
  return figures;
}

std::string study_html(const StudyReport& report) {
  HtmlReport page(report.study.title);
  page.lead(report.study.question);
  page.paragraph(
      fmt::format("{}; {}.", report.source().line(), counted(report.results.size(), "run")));
  page.heading("Findings");
  for (const auto& finding : report.analysis.findings) page.paragraph(finding);
  page.heading("Settings");
  const int cells = page.next_table();
  for (const auto& figure : study_figures(report)) page.figure(figure, cells);
  page.table("Geometric means", cell_table(report));
  page.heading("Effects");
  page.table("Ratios with 95 % intervals", effect_table(report.analysis));
  const Table optima = optimum_table(report.analysis);
  if (!optima.rows().empty()) page.table("Where energy is least", optima);
  return page.html();
}

}  // namespace ridgewatt::report
