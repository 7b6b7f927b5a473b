// ridgewatt fleet: the state of the boards of a fleet.
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/report/campaign_report.h"

namespace ridgewatt::cli {
namespace {

struct FleetStatusCommand {
  campaign::FleetOptions fleet;
  report::FleetPart data = report::FleetPart::kBoards;
};

void show(const Context& context, const FleetStatusCommand& options) {
  print(context, report::fleet_result(campaign::fleet_status(options.fleet), options.data));
}

}  // namespace

void add_fleet(CLI::App& app, Context& context) {
  auto* fleet = command_named(app, "fleet", "Boards of a fleet");
  fleet->require_subcommand(1);
  const auto [command, options, add] = define<FleetStatusCommand>(
      *fleet, context, "status", "Power, energy, modes and drift of every board",
      "ridgewatt fleet status --store all.db --prometheus http://127.0.0.1:9090 "
      "--boards boards.json",
      show);
  add.text("--store", options.fleet.store,
           "Store of profiled points, from which drift and better modes are computed");
  add.text("--prometheus", options.fleet.prometheus,
           "URL of the Prometheus that scrapes the boards");
  add.input("--boards", options.fleet.boards,
            "File of targets and labels in the format of Prometheus; its boards get a row even if "
            "they were never seen");
  add.number("--window", options.fleet.window_s, seconds().within(1, 86400),
             "Length of the window over which power is averaged");
  add.number("--day", options.fleet.day_s, seconds().within(1, 31 * 86400.0),
             "Length of the window for energy, throttling and drift");
  add.choice("--table", options.data, "Table to print as CSV");
}

}  // namespace ridgewatt::cli
