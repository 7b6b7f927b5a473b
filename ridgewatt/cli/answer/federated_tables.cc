#include "ridgewatt/cli/answer/federated_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ridgewatt/report/caveats_json.h"
#include "ridgewatt/report/job_text.h"
#include "ridgewatt/report/mode_json.h"
#include "ridgewatt/report/origin_columns.h"

namespace ridgewatt::cli {
namespace {

using report::Cell;
using report::Column;
using report::Table;

std::vector<std::string> straggler_names(const answer::FederatedAnswer& found) {
  std::vector<std::string> names;
  for (const auto& part : found.parts) {
    if (part.straggler) names.push_back(part.board.name);
  }
  return names;
}

// Of all rows the one that is farthest from a measurement.
Provenance weakest_provenance(const answer::FederatedAnswer& found) {
  Provenance weakest = found.parts.front().origin.provenance;
  for (const auto& part : found.parts) {
    weakest = weaker_provenance(weakest, part.origin.provenance);
  }
  return weakest;
}

}  // namespace

report::Table federated_board_table(const answer::FederatedAnswer& found) {
  std::vector<PowerMode> modes;
  for (const auto& part : found.parts) modes.push_back(part.option.mode);
  const std::vector<Column> knobs = report::knob_columns(modes);
  std::vector<Column> columns = {{"name"}};
  columns.push_back({"samples", "samples", report::kNominal});
  columns.insert(columns.end(), knobs.begin(), knobs.end());
  columns.insert(columns.end(), {{"time_s", "time (s)"},
                                 {.name = "time_lo_s", .rank = 2},
                                 {.name = "time_hi_s", .rank = 2},
                                 {"wait_s", "waits (s)"},
                                 {"round_energy_j", "energy (J)"},
                                 {.name = "energy_j", .heading = "its own (J)", .rank = 1},
                                 {.name = "energy_lo_j", .rank = 2},
                                 {.name = "energy_hi_j", .rank = 2},
                                 {.name = "idle_power_w", .heading = "waiting (W)", .rank = 1},
                                 {.name = "fastest_s", .heading = "fastest (s)", .rank = 1},
                                 {.name = "straggler", .rank = 1}});
  Table table(columns);
  for (const auto& part : found.parts) {
    std::vector<Cell> row = {part.board.name, part.board.samples};
    for (auto& cell : report::knob_cells(part.option.mode, knobs)) row.push_back(std::move(cell));
    row.insert(row.end(),
               {part.option.time_s, part.time_lo_s, part.time_hi_s, part.wait_s, part.energy_j,
                part.option.energy_j, part.energy_lo_j, part.energy_hi_j, part.option.idle_power_w,
                part.fastest_s, part.straggler ? "yes" : "no"});
    table.add_row(std::move(row));
  }
  return table;
}

report::Table federated_round_table(const answer::FederatedAnswer& found) {
  Table table({{"round"},
               {"time_s", "time (s)"},
               {"energy_j", "energy (J)"},
               {.name = "time_ratio", .heading = "time, times", .digits = 3},
               {.name = "energy_ratio", .heading = "energy, times", .digits = 3}});
  const auto add = [&](const char* name, const answer::Round& round) {
    table.add_row({name, round.time_s, round.energy_j, round.time_s / found.all_highest.time_s,
                   round.energy_j / found.all_highest.energy_j});
  };
  if (found.in_time) add("least energy within the deadline", *found.in_time);
  add("least energy", found.least_energy);
  add("fastest", found.fastest);
  add("all at their highest", found.all_highest);
  add("all as they ship", found.all_default);
  return table;
}

report::Table federated_front_table(const answer::FederatedAnswer& found) {
  Table table({{"time_s", "time (s)"}, {"energy_j", "energy (J)"}});
  for (const auto& round : found.front) table.add_row({round.time_s, round.energy_j});
  return table;
}

Json federated_json(const answer::FederatedAnswer& found) {
  std::vector<RowOrigin> origins;
  for (const auto& part : found.parts) origins.push_back(part.origin);
  Json json = {{"provenance", name_of(weakest_provenance(found))},
               {"rounds", federated_round_table(found).to_json()},
               {"boards", report::with_origin(federated_board_table(found), origins).to_json()},
               {"stragglers", straggler_names(found)},
               {"without_stragglers_s", nullptr},
               {"front", federated_front_table(found).to_json()}};
  if (found.without_stragglers_s) json["without_stragglers_s"] = *found.without_stragglers_s;
  if (found.caveats) report::add_caveats(*found.caveats, json);
  return json;
}

std::string straggler_text(const answer::FederatedAnswer& found) {
  if (!found.without_stragglers_s) return "";
  const auto names = straggler_names(found);
  return fmt::format("{} take{} longest: {} at the least, the others {}", fmt::join(names, ", "),
                     names.size() == 1 ? "s" : "", report::duration_text(found.fastest.time_s),
                     report::duration_text(*found.without_stragglers_s));
}

}  // namespace ridgewatt::cli
