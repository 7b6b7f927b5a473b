// ridgewatt fleet: how the boards of a fleet stand.
#include "ridgewatt/cli/commands.h"
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
  add.text("--store", options.fleet.store, "Store of profiled points: drift and better modes");
  add.text("--prometheus", options.fleet.prometheus,
           "URL of the Prometheus that scrapes the boards");
  add.input("--boards", options.fleet.boards,
            "Targets and labels, as Prometheus reads them: a board that was never seen has its "
            "row");
  add.number("--window", options.fleet.window_s, seconds().within(1, 86400),
             "Time that power is the mean of");
  add.number("--day", options.fleet.day_s, seconds().within(1, 31 * 86400.0),
             "Time that energy, throttling and drift are of");
  add.choice("--table", options.data, "Which of its tables CSV has");
}

}  // namespace ridgewatt::cli
