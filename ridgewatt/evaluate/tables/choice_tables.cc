#include <fmt/format.h>

#include "ridgewatt/base/statistics.h"
#include "ridgewatt/evaluate/score_tables.h"
#include "ridgewatt/report/field.h"

namespace ridgewatt::evaluate {
namespace {

using report::at;
using report::Cell;

struct LetteredMode {
  std::string name;
  PowerMode mode;
};

// "a", "b", .. in the order of the file; numbers from the 27th on.
std::string letter(std::size_t place) {
  return place < 26 ? std::string(1, static_cast<char>('a' + place)) : std::to_string(place + 1);
}

Table choice_mode_table(const std::vector<PowerMode>& modes) {
  std::vector<LetteredMode> rows;
  for (const auto& mode : modes) rows.push_back({letter(rows.size()), mode});
  return report::table_of<LetteredMode>(
      {{{"name"}, at<&LetteredMode::name>},
       {{"mode"}, [](const LetteredMode& row) { return row.mode; }}},
      rows);
}

Cell chosen_cell(const ChoiceScore& score) {
  std::string names;
  for (const std::size_t place : score.chosen) names += (names.empty() ? "" : " ") + letter(place);
  return names;
}

Table choice_table(const std::vector<ChoiceScore>& scores) {
  using C = ChoiceScore;
  return report::table_of<C>(
      {{{"modes"}, chosen_cell},
       {{.name = "others_time_pct", .heading = "time of the others (%)"}, at<&C::others_time_pct>},
       {{.name = "others_power_pct", .heading = "power (%)", .rank = 1}, at<&C::others_power_pct>},
       {{.name = "others_energy_pct", .heading = "energy of the others (%)"},
        at<&C::others_energy_pct>},
       {{.name = "all_time_pct", .heading = "time of all rows (%)"}, at<&C::all_time_pct>},
       {{.name = "all_power_pct", .heading = "power of all (%)", .rank = 1}, at<&C::all_power_pct>},
       {{.name = "all_energy_pct", .heading = "energy of all rows (%)"}, at<&C::all_energy_pct>}},
      scores);
}

}  // namespace

report::Result choices_result(const std::vector<PowerMode>& modes,
                              const std::vector<ChoiceScore>& scores) {
  report::Result result{choice_table(scores)};
  const Table named = choice_mode_table(modes);
  std::vector<double> others_pct;
  for (const auto& score : scores) others_pct.push_back(score.others_time_pct);
  result.json = json_object({{"modes", named.to_json()},
                             {"choices", result.table.to_json()},
                             {"median_others_time_pct", median(others_pct)}});
  result.before = {{"", named}, {"\n"}};
  result.notes = {
      fmt::format("{} choices of {} modes; error of time over the others: best {:.3g}, "
                  "median {:.3g}, worst {:.3g} %",
                  scores.size(), scores.front().chosen.size(), others_pct.front(),
                  median(others_pct), others_pct.back())};
  return result;
}

Table clock_table(const std::vector<ScoredClocks>& scores) {
  using S = ScoredClocks;
  using predict::ClockSearchScore;
  return report::table_of<S>(
      {{{"workload"}, at<&S::workload>},
       {{"batch"}, at<&S::score, &ClockSearchScore::rest, &OperatingPoint::batch>},
       {{"clocks"}, at<&S::score, &ClockSearchScore::clocks>},
       {{.name = "answer_gpu_mhz", .digits = report::kNominal},
        [](const S& row) -> Cell { return mhz_of_hz(row.score.answer_hz); }},
       {{.name = "best_gpu_mhz", .digits = report::kNominal},
        [](const S& row) -> Cell { return mhz_of_hz(row.score.best_hz); }},
       {{.name = "excess_pct", .digits = 3},
        report::times<100, &S::score, &ClockSearchScore::excess>},
       {{"within"}, [](const S& row) -> Cell { return std::int64_t{row.within}; }},
       {{.name = "noise_pct", .digits = 3, .rank = 1},
        report::times<100, &S::score, &ClockSearchScore::noise>}},
      scores);
}

}  // namespace ridgewatt::evaluate
