// Tables of the twin's scores on measured sweeps.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ridgewatt/evaluate/score_tables.h"
#include "ridgewatt/report/columns.h"
#include "ridgewatt/report/mode_json.h"
#include "ridgewatt/twin/twin_roofline.h"

namespace ridgewatt::evaluate {
namespace {

using report::Cell;
using report::Column;
using report::known_cell;
using report::Table;

// Mean over workloads with equal weights.
twin::CoverageRow mean_of_workloads(const std::vector<twin::CoverageRow>& rows) {
  twin::CoverageRow mean{"workload", "mean of workloads", 0, {}};
  const auto count = static_cast<double>(std::count_if(
      rows.begin(), rows.end(), [](const auto& row) { return row.left_out == "workload"; }));
  for (const auto& row : rows) {
    if (row.left_out != "workload") continue;
    mean.rows += row.rows;
    for (std::size_t q = 0; q < twin::kQuantities.size(); ++q) {
      mean.held[q].share += row.held[q].share / count;
      mean.held[q].factor += row.held[q].factor / count;
    }
  }
  return mean;
}

}  // namespace

Table coverage_table(const std::vector<twin::CoverageRow>& rows) {
  std::vector<Column> columns = {{"left_out"}, {.name = "name"}, {"rows"}};
  for (const auto quantity : twin::kQuantities) {
    columns.push_back({.name = fmt::format("{}_coverage_pct", quantity), .digits = 3});
    columns.push_back({.name = fmt::format("{}_hi_over_estimate", quantity), .digits = 3});
  }
  Table table(columns);
  const auto add = [&](const twin::CoverageRow& row) {
    std::vector<Cell> cells = {row.left_out, row.name, static_cast<std::int64_t>(row.rows)};
    for (const auto& held : row.held) {
      cells.push_back(known_cell(100 * held.share));
      cells.push_back(known_cell(held.factor));
    }
    table.add_row(std::move(cells));
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    add(rows[i]);
    const bool last = i + 1 == rows.size() || rows[i + 1].left_out != rows[i].left_out;
    if (last && rows[i].left_out == "workload") add(mean_of_workloads(rows));
  }
  return table;
}

Table findings_table(const std::vector<WorkloadFindings>& findings) {
  Table table(
      {{"workload"},
       {"batch"},
       {"maxn_over_least_energy", "MAXN / least energy", 3},
       {.name = "modelled_maxn_over_least", .heading = "MAXN / least, modelled", .digits = 3},
       {.name = "groups", .rank = 2},
       {.name = "measured_interior", .rank = 2},
       {.name = "modelled_interior", .rank = 2},
       {.name = "within_one_step", .rank = 2},
       {.name = "best_saving_pct", .digits = 3, .rank = 1},
       {.name = "saving_pct", .digits = 3},
       {.name = "slowdown_pct", .digits = 3},
       {"holds"},
       {.name = "bound", .heading = "bound at MAXN", .rank = 3}});
  for (const auto& f : findings) {
    std::vector<Cell> cells = {f.workload, std::int64_t{f.batch}};
    cells.resize(4);
    if (f.maxn_energy_j > 0) {
      cells[2] = f.maxn_energy_j / f.least_energy_j;
      cells[3] = f.modelled_maxn_over_least;
    }
    for (const int count :
         {f.groups, f.measured_interior, f.modelled_interior, f.within_one_step}) {
      cells.emplace_back(std::int64_t{count});
    }
    cells.resize(12);
    if (f.tuned) {
      cells[8] = 100 * f.best_saving;
      cells[9] = 100 * f.saving;
      cells[10] = 100 * f.slowdown;
      cells[11] = std::string(f.saving_holds && f.slowdown_holds ? "yes" : "no");
    }
    cells.emplace_back(f.bound);
    table.add_row(std::move(cells));
  }
  return table;
}

Table findings_count_table(const std::vector<CountedFindings>& counted) {
  Table table({{"twin"},
               {"rows"},
               {"cases"},
               {"maxn_is_best", "MAXN is best"},
               {"interior_pct", "interior minimum (%)", 3},
               {"right_clock_pct", "right clock (%)", 3},
               {"tuned_holds", "tuning holds"}});
  for (const auto& [twin, rows, count] : counted) {
    const double groups = std::max(count.measured_interior, 1);
    table.add_row({twin, rows, std::int64_t{count.cases}, std::int64_t{count.maxn_is_best},
                   100 * count.modelled_interior / groups, 100 * count.within_one_step / groups,
                   std::int64_t{count.tuned_holds}});
  }
  return table;
}

Table verified_table(const std::vector<VerifiedTuning>& tunings, std::size_t profiles) {
  Table table({{"workload"},
               {"batch"},
               {.name = "best_saving_pct", .digits = 3},
               {.name = "estimate_saving_pct", .heading = "saving, not profiled (%)", .digits = 3},
               {.name = "estimate_slowdown_pct", .heading = "slower (%)", .digits = 3},
               {.name = "saving_pct", .heading = "saving, profiled (%)", .digits = 3},
               {.name = "slowdown_pct", .heading = "slower (%)", .digits = 3},
               {"holds"},
               {"profiles_to_hold"}});
  for (const auto& tuning : tunings) {
    const auto& [estimate, answer] = std::pair(
        tuning.answers.front(), tuning.answers[std::min(profiles, tuning.answers.size() - 1)]);
    const auto held = std::find_if(tuning.answers.begin() + 1, tuning.answers.end(),
                                   [](const auto& one) { return one.holds; });
    table.add_row({tuning.workload, std::int64_t{tuning.batch}, 100 * tuning.best_saving,
                   100 * estimate.saving, 100 * estimate.slowdown, 100 * answer.saving,
                   100 * answer.slowdown, std::string(answer.holds ? "yes" : "no"),
                   held == tuning.answers.end()
                       ? Cell()
                       : Cell(std::int64_t{held - tuning.answers.begin()})});
  }
  return table;
}

Table verified_count_table(const std::vector<CountedVerified>& counted) {
  Table table({{"twin"},
               {"profiles"},
               {"profiles_without_maxn", "MAXN's not counted"},
               {"cases"},
               {"within_limit", "within 5 %"},
               {"saving_holds", "saving holds"},
               {"tuned_holds", "tuning holds"}});
  for (const auto& [twin, counts] : counted) {
    for (std::size_t n = 0; n < counts.size(); ++n) {
      const auto& count = counts[n];
      const auto profiles = static_cast<std::int64_t>(n);
      table.add_row({twin, profiles, std::max<std::int64_t>(profiles - 1, 0),
                     std::int64_t{count.cases}, std::int64_t{count.within_limit},
                     std::int64_t{count.saving_holds}, std::int64_t{count.holds}});
    }
  }
  return table;
}

Table memory_level_table(const std::vector<MemoryLevelScore>& scores) {
  Table table({{"workload"},
               {.name = "mem_mhz", .digits = report::kNominal},
               {"rows"},
               {"pairs", "", 4, 2},
               {.name = "step_pct", .heading = "faster than below (%)", .digits = 3},
               {.name = "modelled_step_pct", .heading = "modelled (%)", .digits = 3},
               {.name = "slower_pct", .heading = "of pairs slower (%)", .digits = 3, .rank = 1},
               {.name = "time_bias_pct", .digits = 2},
               {.name = "power_bias_pct", .digits = 2},
               {.name = "unseen_time_error_pct", .digits = 3},
               {.name = "unseen_power_error_pct", .digits = 3},
               {.name = "unseen_energy_error_pct", .digits = 3, .rank = 1}});
  for (const auto& score : scores) {
    std::vector<Cell> cells = {score.workload, mhz_of_hz(score.mem_clock_hz),
                               static_cast<std::int64_t>(score.rows)};
    cells.resize(7);
    if (score.step) {
      cells[3] = static_cast<std::int64_t>(score.step->pairs);
      cells[4] = 100 * score.step->measured;
      cells[5] = 100 * score.step->modelled;
      cells[6] = 100 * score.step->slower;
    }
    const auto& errors = score.errors[static_cast<std::size_t>(LevelForm::kNothing)];
    for (const double value : {std::expm1(score.time_bias), std::expm1(score.power_bias),
                               errors.time, errors.power, errors.energy}) {
      cells.emplace_back(100 * value);
    }
    table.add_row(std::move(cells));
  }
  return table;
}

Table memory_form_table(const std::vector<MemoryLevelScore>& means) {
  std::vector<Column> columns = {{"workload"}, {"rows"}};
  for (const std::string quantity : {"time", "power", "energy"}) {
    for (const auto& form : enum_names(LevelForm{})) {
      columns.push_back({.name = std::string(form.name) + "_" + quantity + "_error_pct",
                         .digits = 4,
                         .rank = quantity == "energy" ? 1 : 0});
    }
  }
  Table table(std::move(columns));
  for (const auto& mean : means) {
    std::vector<Cell> cells = {mean.workload, static_cast<std::int64_t>(mean.rows)};
    for (const auto quantity : {&LevelErrors::time, &LevelErrors::power, &LevelErrors::energy}) {
      for (const auto& errors : mean.errors) cells.emplace_back(100 * errors.*quantity);
    }
    table.add_row(std::move(cells));
  }
  return table;
}

Table race_to_halt_table(const twin::Twin& twin, const std::vector<PowerMode>& modes,
                         std::uint64_t seed) {
  const auto knobs = report::knob_columns();
  std::vector<Column> columns(knobs.begin(), knobs.end());
  for (const std::string_view name : {"roof", "race_to_halt_ratio", "lo", "hi", "race_to_halt"}) {
    columns.push_back({name});
  }
  Table table(columns);
  for (const twin::RoofClass roof : {twin::RoofClass::kConvolution, twin::RoofClass::kProduct}) {
    const auto ratios = twin::twin_race_to_halt(twin, modes, roof, seed);
    for (std::size_t i = 0; i < modes.size(); ++i) {
      std::vector<Cell> cells = report::knob_cells(modes[i], knobs);
      cells.emplace_back(std::string(name_of(roof)));
      for (const double value : {ratios[i].value, ratios[i].lo, ratios[i].hi})
        cells.emplace_back(value);
      cells.emplace_back(std::string(ratios[i].hi <= 1 ? "holds" : "not shown"));
      table.add_row(std::move(cells));
    }
  }
  return table;
}

}  // namespace ridgewatt::evaluate
