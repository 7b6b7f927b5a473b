#include <cmath>
#include <functional>
#include <limits>

#include "ridgewatt/base/statistics.h"
#include "ridgewatt/evaluate/score_tables.h"

namespace ridgewatt::evaluate {
namespace {

using report::Cell;
using report::Column;
using report::known_cell;

using Getter = std::function<double(const RunScore&)>;
struct ScoreColumn {
  std::string name;
  Getter get;
};

std::vector<ScoreColumn> score_columns() {
  std::vector<ScoreColumn> result;
  const auto add_quantity = [&](const std::string& name, QuantityScore RunScore::*quantity) {
    result.push_back(
        {name + "_mape_pct", [=](const RunScore& s) { return (s.*quantity).mape_pct; }});
    result.push_back({name + "_trusted_mape_pct",
                      [=](const RunScore& s) { return (s.*quantity).trusted_mape_pct; }});
    result.push_back(
        {name + "_coverage_pct", [=](const RunScore& s) { return (s.*quantity).coverage_pct; }});
    result.push_back({name + "_trusted_coverage_pct",
                      [=](const RunScore& s) { return (s.*quantity).trusted_coverage_pct; }});
    result.push_back(
        {name + "_width_ratio", [=](const RunScore& s) { return (s.*quantity).width_ratio; }});
  };
  add_quantity("time", &RunScore::time);
  add_quantity("power", &RunScore::power);
  add_quantity("energy", &RunScore::energy);
  result.push_back({"penalty_pct", [](const RunScore& s) { return s.budget.penalty_pct; }});
  result.push_back({"over_pct", [](const RunScore& s) { return s.budget.over_pct; }});
  result.push_back({"over_by_1w_pct", [](const RunScore& s) { return s.budget.over_by_1w_pct; }});
  result.push_back({"area_w", [](const RunScore& s) { return s.budget.area_w; }});
  result.push_back(
      {"flagged_samples_pct", [](const RunScore& s) { return s.flagged_samples_pct; }});
  return result;
}

// Rank of a column: errors first, then their costs, then coverage. Others are shown if they fit.
int rank_of(const std::string& figure) {
  if (figure == "time_mape_pct" || figure == "power_mape_pct") return 0;
  if (figure == "energy_mape_pct" || figure == "penalty_pct" || figure == "over_pct") return 1;
  if (figure == "time_coverage_pct" || figure == "power_coverage_pct") return 2;
  return figure == "area_w" || figure == "over_by_1w_pct" ? 3 : 5;
}

// True for an error, which every run has.
bool is_error(const ScoreColumn& figure) {
  return figure.name.find("mape") != std::string::npos;
}

// The values of the runs in [begin, end) that have one.
std::vector<double> known_values(const std::vector<RunScore>& scores, std::size_t begin,
                                 std::size_t end, const ScoreColumn& figure) {
  std::vector<double> values;
  for (std::size_t i = begin; i < end; ++i) {
    const double value = figure.get(scores[i]);
    if (is_error(figure) || !std::isnan(value)) values.push_back(value);
  }
  return values;
}

// Medians over the runs with a value, quartiles of the two errors, and means of coverage and
// shares.
Table summary_table(const std::vector<RunScore>& scores) {
  std::vector<Column> columns = {{"method"}, {"modes"}, {"runs"}};
  const auto all = score_columns();
  for (const auto& figure : all) {
    columns.push_back({.name = figure.name, .digits = 3, .rank = rank_of(figure.name)});
    if (figure.name == "time_mape_pct" || figure.name == "power_mape_pct") {
      for (const char* quartile : {"_q1_pct", "_q3_pct"}) {
        columns.push_back({.name = figure.name.substr(0, figure.name.find("_pct")) + quartile,
                           .digits = 3,
                           .rank = 4});
      }
    }
  }
  Table table(columns);
  for (std::size_t begin = 0; begin < scores.size();) {
    std::size_t end = begin;
    while (end < scores.size() && scores[end].method == scores[begin].method &&
           scores[end].size == scores[begin].size) {
      ++end;
    }
    std::vector<Cell> row = {scores[begin].method, std::int64_t{scores[begin].size},
                             static_cast<std::int64_t>(end - begin)};
    for (const auto& figure : all) {
      const auto values = known_values(scores, begin, end, figure);
      if (values.empty()) {
        row.push_back(known_cell(std::numeric_limits<double>::quiet_NaN()));
        continue;
      }
      row.push_back(known_cell(is_error(figure) || figure.name == "penalty_pct" ? median(values)
                                                                                : mean(values)));
      if (figure.name == "time_mape_pct" || figure.name == "power_mape_pct") {
        row.emplace_back(quantile(values, 0.25));
        row.emplace_back(quantile(values, 0.75));
      }
    }
    table.add_row(std::move(row));
    begin = end;
  }
  return table;
}

Table run_table(const std::vector<RunScore>& scores) {
  std::vector<Column> columns = {{"method"}, {"modes"}, {"run"}};
  const auto all = score_columns();
  for (const auto& figure : all) {
    columns.push_back({.name = figure.name, .digits = 3, .rank = rank_of(figure.name)});
  }
  Table table(columns);
  for (const auto& score : scores) {
    std::vector<Cell> row = {score.method, std::int64_t{score.size}, std::int64_t{score.run}};
    for (const auto& figure : all) row.push_back(known_cell(figure.get(score)));
    table.add_row(std::move(row));
  }
  return table;
}

}  // namespace

Table predictor_table(const std::vector<RunScore>& scores, bool every_run) {
  return every_run ? run_table(scores) : summary_table(scores);
}

}  // namespace ridgewatt::evaluate
