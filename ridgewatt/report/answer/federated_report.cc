#include "ridgewatt/report/job_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ridgewatt/base/text.h"
#include "ridgewatt/report/columns.h"
#include "ridgewatt/report/field.h"
#include "ridgewatt/report/schedule_report.h"

namespace ridgewatt::report {
namespace {

std::vector<std::string> straggler_names(const answer::FederatedAnswer& found) {
  std::vector<std::string> names;
  for (const auto& part : found.parts) {
    if (part.straggler) names.push_back(part.board.name);
  }
  return names;
}

// The provenance of the row that is farthest from a measurement.
Provenance weakest_provenance(const answer::FederatedAnswer& found) {
  Provenance weakest = found.parts.front().origin.provenance;
  for (const auto& part : found.parts) {
    weakest = weaker_provenance(weakest, part.origin.provenance);
  }
  return weakest;
}

// One row per board: mode, time with bounds, wait, energy, and whether it is a straggler.
Table federated_board_table(const answer::FederatedAnswer& found) {
  using Part = answer::FederatedPart;
  using Option = answer::RoundOption;
  return table_of<Part>(
      {{{"name"}, [](const Part& part) -> Cell { return part.board.name; }},
       {{"samples", "samples", kNominal},
        [](const Part& part) -> Cell { return part.board.samples; }},
       {{"mode"}, [](const Part& part) { return part.option.mode; }},
       {{"time_s", "time (s)"}, at<&Part::option, &Option::time_s>},
       {{.name = "time_lo_s", .rank = 2}, at<&Part::time_lo_s>},
       {{.name = "time_hi_s", .rank = 2}, at<&Part::time_hi_s>},
       {{"wait_s", "waits (s)"}, at<&Part::wait_s>},
       {{"round_energy_j", "energy (J)"}, at<&Part::energy_j>},
       {{.name = "energy_j", .heading = "its own (J)", .rank = 1},
        at<&Part::option, &Option::energy_j>},
       {{.name = "energy_lo_j", .rank = 2}, at<&Part::energy_lo_j>},
       {{.name = "energy_hi_j", .rank = 2}, at<&Part::energy_hi_j>},
       {{.name = "idle_power_w", .heading = "waiting (W)", .rank = 1},
        at<&Part::option, &Option::idle_power_w>},
       {{.name = "fastest_s", .heading = "fastest (s)", .rank = 1}, at<&Part::fastest_s>},
       {{.name = "straggler", .rank = 1}, at<&Part::straggler>}},
      found.parts);
}

// The compared rounds: time and energy, also relative to the highest modes.
Table federated_round_table(const answer::FederatedAnswer& found) {
  Table table({{"round"},
               {"time_s", "time (s)"},
               {"energy_j", "energy (J)"},
               {.name = "time_ratio", .heading = "relative time", .digits = 3},
               {.name = "energy_ratio", .heading = "relative energy", .digits = 3}});
  const auto add = [&](const char* name, const answer::Round& round) {
    table.add_row({name, round.time_s, round.energy_j, round.time_s / found.all_highest.time_s,
                   round.energy_j / found.all_highest.energy_j});
  };
  if (found.in_time) add("least energy within the deadline", *found.in_time);
  add("least energy", found.least_energy);
  add("fastest", found.fastest);
  add("all in the highest mode", found.all_highest);
  add("all in the default preset", found.all_default);
  return table;
}

// Rounds that need less energy than every faster round.
Table federated_front_table(const answer::FederatedAnswer& found) {
  Table table({{"time_s", "time (s)"}, {"energy_j", "energy (J)"}});
  for (const auto& round : found.front) table.add_row({round.time_s, round.energy_j});
  return table;
}

Table board_rows(const answer::FederatedAnswer& found) {
  std::vector<RowOrigin> origins;
  for (const auto& part : found.parts) origins.push_back(part.origin);
  return with_origin(federated_board_table(found), origins);
}

// What the figures of the boards without a sweep are based on.
std::vector<answer::ProgramGround> grounds_of(const answer::FederatedAnswer& found) {
  std::vector<answer::ProgramGround> grounds;
  for (const auto& part : found.parts) {
    if (!part.ground.empty()) grounds.push_back({part.board.name, part.ground, part.fit});
  }
  return grounds;
}

Json federated_json(const answer::FederatedAnswer& found) {
  Json json = json_object({{"provenance", name_of(weakest_provenance(found))},
                           {"rounds", federated_round_table(found).to_json()},
                           {"boards", board_rows(found).to_json()},
                           {"stragglers", straggler_names(found)},
                           {"without_stragglers_s", nullptr},
                           {"front", federated_front_table(found).to_json()},
                           {"twins", twins_json(grounds_of(found))}});
  if (found.without_stragglers_s) json["without_stragglers_s"] = *found.without_stragglers_s;
  if (found.caveats) add_caveats(*found.caveats, json);
  return json;
}

// For example, "A, C take longest: at least 12 s, the other boards 8 s". Empty without stragglers.
std::string straggler_text(const answer::FederatedAnswer& found) {
  if (!found.without_stragglers_s) return "";
  const auto names = straggler_names(found);
  return fmt::format("{} take{} longest: at least {}, the other boards {}", fmt::join(names, ", "),
                     names.size() == 1 ? "s" : "", duration_text(found.fastest.time_s),
                     duration_text(*found.without_stragglers_s));
}

}  // namespace

Result federated_result(const answer::FederatedAnswer& found, bool front) {
  Result result{front ? federated_front_table(found) : federated_board_table(found)};
  result.data = front ? result.table : board_rows(found);
  result.json = federated_json(found);
  const answer::Round& chosen = found.chosen();
  result.before = {{fmt::format("{}: {} per round\n\n",
                                found.in_time ? "Least energy within the deadline" : "Least energy",
                                job_text({chosen.time_s, chosen.energy_j})),
                    federated_round_table(found)},
                   {"\n"}};
  if (front) {
    result.before.back().table = federated_board_table(found);
    result.before.push_back({"\nRounds that need less energy than every faster round:\n\n"});
  }
  const std::string stragglers = straggler_text(found);
  if (!stragglers.empty()) result.after.push_back({'\n' + escape_terminal(stragglers) + '\n'});
  result.notes = ground_notes(grounds_of(found));
  return result;
}

}  // namespace ridgewatt::report
