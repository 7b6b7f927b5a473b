// ridgewatt fleet: how the boards of a fleet stand.
#include <fmt/format.h>

#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/campaign/fleet_status.h"
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/options/choice.h"
#include "ridgewatt/cli/options/vocabulary.h"

namespace ridgewatt::cli {
namespace {

using campaign::FleetStatus;

enum class FleetTable { kBoards, kModes, kDrift, kEnergy };
constexpr auto enum_names(FleetTable) {
  return named<FleetTable>({{FleetTable::kBoards, "boards"},
                            {FleetTable::kModes, "modes"},
                            {FleetTable::kDrift, "drift"},
                            {FleetTable::kEnergy, "energy"}});
}

struct FleetStatusCommand {
  campaign::FleetOptions fleet;
  FleetTable table = FleetTable::kBoards;
};

report::Cell text_cell(const std::string& text) {
  return text.empty() ? report::Cell() : report::Cell(text);
}

// "yes" and "no" where it is known.
report::Cell said_cell(bool known, bool value) {
  return known ? report::Cell(std::string(value ? "yes" : "no")) : report::Cell();
}

report::Table boards_table(const FleetStatus& status) {
  report::Table table({{"board"},
                       {"board_kind"},
                       {.name = "fleet", .rank = 4},
                       {.name = "serial", .rank = 4},
                       {.name = "workload", .rank = 3},
                       {"up"},
                       {.name = "window_power_w", .heading = "power (W)"},
                       {.name = "day_energy_j", .heading = "energy of the day (J)"},
                       {.name = "preset", .rank = 1},
                       {.name = "mode", .rank = 2},
                       {.name = "temperature_c", .heading = "hottest (C)", .digits = 3, .rank = 1},
                       {.name = "throttled", .rank = 1},
                       {.name = "throttle_events", .digits = 3, .rank = 3},
                       {.name = "last_seen_s", .heading = "seen before (s)", .digits = 3},
                       {.name = "in_store", .rank = 4}});
  for (const auto& board : status.boards) {
    table.add_row(
        {board.name, text_cell(board.kind), text_cell(board.fleet), text_cell(board.serial),
         text_cell(board.workload), said_cell(board.up.has_value(), board.up.value_or(false)),
         report::known_cell(board.power_w), report::known_cell(board.energy_j),
         text_cell(board.preset), text_cell(board.mode), report::known_cell(board.temperature_c),
         said_cell(board.throttled_known, board.throttled),
         report::known_cell(board.throttle_events), report::known_cell(board.last_seen_s),
         said_cell(true, board.in_store)});
  }
  return table;
}

report::Table modes_table(const FleetStatus& status) {
  report::Table table({{"board"},
                       {.name = "board_kind", .rank = 2},
                       {"workload"},
                       {.name = "work", .rank = 1},
                       {.name = "batch", .rank = 1},
                       {.name = "mode", .rank = 1},
                       {"better_mode"},
                       {.name = "time_pct", .heading = "time there (%)", .digits = 3},
                       {.name = "power_pct", .heading = "power there (%)", .digits = 3}});
  for (const auto& found : status.dominated) {
    table.add_row({found.name, found.kind, found.workload, found.work_kind,
                   std::int64_t{found.batch}, found.mode, found.better, 100 * found.time,
                   100 * found.power});
  }
  return table;
}

report::Table drift_table(const FleetStatus& status) {
  report::Table table({{"board_kind"},
                       {"serial"},
                       {"workload"},
                       {.name = "work", .rank = 1},
                       {"points"},
                       {.name = "time_pct", .heading = "drift of time (%)", .digits = 3},
                       {.name = "power_pct", .heading = "drift of power (%)", .digits = 3}});
  for (const auto& drift : status.drifts) {
    table.add_row({drift.kind, text_cell(drift.serial), drift.workload, drift.work_kind,
                   static_cast<std::int64_t>(drift.points), 100 * drift.time, 100 * drift.power});
  }
  return table;
}

report::Table energy_table(const FleetStatus& status) {
  report::Table table(
      {{"workload"}, {"source"}, {.name = "day_energy_j", .heading = "energy (J)"}});
  for (const auto& found : status.workloads) {
    table.add_row({found.workload, found.source, found.energy_j});
  }
  return table;
}

// Over the boards of which it is known; nothing where it is known of none.
struct Totals {
  std::int64_t boards = 0;
  std::optional<std::int64_t> up;
  std::optional<double> power_w, energy_j;
};

void add_known(double value, std::optional<double>& sum) {
  if (!std::isnan(value)) sum = sum.value_or(0) + value;
}

Totals totals_of(const FleetStatus& status) {
  Totals totals;
  for (const auto& board : status.boards) {
    ++totals.boards;
    if (board.up) totals.up = totals.up.value_or(0) + (*board.up ? 1 : 0);
    add_known(board.power_w, totals.power_w);
    add_known(board.energy_j, totals.energy_j);
  }
  return totals;
}

std::string totals_line(const Totals& totals) {
  std::string line = fmt::format("{} boards", totals.boards);
  if (totals.up) line += fmt::format(", {} up", *totals.up);
  if (totals.power_w) line += fmt::format(", {:.1f} W", *totals.power_w);
  if (totals.energy_j) line += fmt::format(", {:.3f} kWh in the day", *totals.energy_j / 3.6e6);
  return line;
}

template <typename T>
Json known_json(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json status_json(const FleetStatus& status) {
  const Totals totals = totals_of(status);
  Json json;
  json["boards"] = boards_table(status).to_json();
  json["totals"] = {{"boards", totals.boards},
                    {"up", known_json(totals.up)},
                    {"window_power_w", known_json(totals.power_w)},
                    {"day_energy_j", known_json(totals.energy_j)}};
  json["modes"] = modes_table(status).to_json();
  json["drift"] = drift_table(status).to_json();
  json["energy"] = energy_table(status).to_json();
  json["missing"] = status.missing;
  return json;
}

void print_beside(const Context& context, const char* heading, const report::Table& table) {
  if (table.rows().empty()) return;
  std::cout << '\n' << heading << "\n\n";
  print_aside(context, table);
}

void run(const Context& context, const FleetStatusCommand& command) {
  const FleetStatus status = campaign::fleet_status(command.fleet);
  if (context.json()) return print(context, status_json(status));
  if (context.csv()) {
    for (const auto& missing : status.missing) remark(context, "not known: " + missing);
    switch (command.table) {
      case FleetTable::kBoards:
        return print(context, boards_table(status));
      case FleetTable::kModes:
        return print(context, modes_table(status));
      case FleetTable::kDrift:
        return print(context, drift_table(status));
      case FleetTable::kEnergy:
        return print(context, energy_table(status));
    }
  }
  print(context, boards_table(status));
  std::cout << totals_line(totals_of(status)) << '\n';
  print_beside(context, "Modes that another beats in time and power:", modes_table(status));
  print_beside(context, "Points of the day against others of the same mode:", drift_table(status));
  print_beside(context, "Energy of the day by workload:", energy_table(status));
  for (const auto& missing : status.missing) remark(context, "not known: " + missing);
}

}  // namespace

void add_fleet(CLI::App& app, Context& context) {
  auto* fleet = command_named(app, "fleet", "Boards of a fleet");
  fleet->require_subcommand(1);
  auto* status =
      add_command(*fleet, context, "status", "Power, energy, modes and drift of every board",
                  "ridgewatt fleet status --store all.db --prometheus http://127.0.0.1:9090 "
                  "--boards boards.json");
  auto options = std::make_shared<FleetStatusCommand>();
  status->add_option("--store", options->fleet.store,
                     "Store of profiled points: drift and better modes");
  status->add_option("--prometheus", options->fleet.prometheus,
                     "URL of the Prometheus that scrapes the boards");
  input_file(status->add_option("--boards", options->fleet.boards,
                                "Targets and labels, as Prometheus reads them: a board that was "
                                "never seen has its row"));
  quantity(
      status->add_option("--window", options->fleet.window_s, "Time that power is the mean of"),
      seconds().within(1, 86400))
      ->capture_default_str();
  quantity(status->add_option("--day", options->fleet.day_s,
                              "Time that energy, throttling and drift are of"),
           seconds().within(1, 31 * 86400.0))
      ->capture_default_str();
  listed_choice(*status, "--table", options->table, "Which of its tables CSV has")
      ->capture_default_str();
  status->callback([&context, options] { run(context, *options); });
}

}  // namespace ridgewatt::cli
