// ridgewatt campaign boards and rerun: boards that misbehave, and points that are in doubt.
#include <ctime>
#include <optional>

#include "ridgewatt/base/error.h"
#include "ridgewatt/campaign/follow.h"
#include "ridgewatt/campaign/rerun.h"
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/report/campaign_report.h"

namespace ridgewatt::cli {
namespace {

struct BoardsCommand {
  std::string plan, readmit;
};

void show_boards(const Context& context, const BoardsCommand& options) {
  check_table_options(context, report::boards_result("", {}));
  if (!options.readmit.empty()) campaign::readmit_board(options.plan, options.readmit);
  const auto plan = campaign::read_plan(options.plan);
  print(context, report::boards_result(plan.name, campaign::look_at_boards(plan)));
}

struct RerunCommand {
  std::string plan;
  campaign::RerunRules rules;
  std::optional<double> older_s;
  bool dry_run = false;
};

void rerun_points(const Context& context, RerunCommand& options) {
  check_table_options(context, report::rerun_result({}));
  if (options.older_s) {
    options.rules.until_unix_s = std::time(nullptr) - static_cast<std::int64_t>(*options.older_s);
  }
  print(context,
        report::rerun_result(campaign::rerun(options.plan, options.rules, options.dry_run)));
  remark(context, options.dry_run ? "nothing was planned again (--dry-run)"
                                  : "`campaign watch` submits what is planned again");
}

}  // namespace

void add_campaign_boards(CLI::App& campaign, Context& context) {
  const auto [command, options, add] = define<BoardsCommand>(
      campaign, context, "boards", "Every board with its state, rate, last error and why it waits",
      "ridgewatt campaign boards sweep7.json", show_boards);
  add.input("PLAN", options.plan, "Plan of the campaign")->required();
  add.text("--readmit", options.readmit,
           "Give tasks again to the board of this serial number, which was set aside");
}

void add_campaign_rerun(CLI::App& campaign, Context& context) {
  const auto [command, options, add] = define<RerunCommand>(
      campaign, context, "rerun", "Plan measured points again: flagged, old, or of one board",
      "ridgewatt campaign rerun sweep7.json --flagged", rerun_points);
  add.input("PLAN", options.plan, "Plan of the campaign")->required();
  add.flag("--flagged", options.rules.flagged, "Points with a flag");
  add.optional("--older-than", options.older_s, hours().within(0, 1e6),
               "Points that began at least this long ago, 30d");
  add.text("--board", options.rules.serial, "Points that the board of this serial number measured");
  add.flag("--dry-run", options.dry_run, "Count and plan nothing");
}

}  // namespace ridgewatt::cli
