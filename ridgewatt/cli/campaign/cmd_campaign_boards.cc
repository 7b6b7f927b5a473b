// ridgewatt campaign boards and rerun: faulty boards, and points to measure again.
#include <ctime>
#include <optional>

#include "ridgewatt/campaign/follow.h"
#include "ridgewatt/campaign/rerun.h"
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
  const auto reruns = campaign::rerun(options.plan, options.rules, options.dry_run);
  print(context, report::rerun_result(reruns));
  std::size_t points = 0;
  for (const auto& kind : reruns.kinds) points += kind.points + kind.calibration;
  const char* next = options.dry_run ? "nothing was changed (--dry-run)"
                     : points == 0   ? "no measured point was selected: nothing was changed"
                     : campaign::read_plan(options.plan).executor.empty()
                         ? "`campaign submit` submits the points that are measured again"
                         : "`campaign watch` submits the points that are measured again";
  remark(context, next);
}

}  // namespace

void add_campaign_boards(CLI::App& campaign, Context& context) {
  const auto [command, options, add] = define<BoardsCommand>(
      campaign, context, "boards", "State, rate, last error and reason for waiting of every board",
      "ridgewatt campaign boards sweep7.json", show_boards);
  add.input("PLAN", options.plan, "Plan of the campaign")->required();
  add.text("--readmit", options.readmit,
           "Give tasks to the board with this serial number again, after it was set aside");
}

void add_campaign_rerun(CLI::App& campaign, Context& context) {
  const auto [command, options, add] = define<RerunCommand>(
      campaign, context, "rerun",
      "Mark measured points to be measured again: flagged, old, or from one board",
      "ridgewatt campaign rerun sweep7.json --flagged", rerun_points);
  add.input("PLAN", options.plan, "Plan of the campaign")->required();
  add.flag("--flagged", options.rules.flagged, "Measure flagged points again");
  add.optional("--older-than", options.older_s, hours().within(0, 1e6),
               "Measure again the points that are at least this old, such as 30d");
  add.text("--board", options.rules.serial,
           "Measure again the points of the board with this serial number");
  add.flag("--dry-run", options.dry_run, "Count the points, but change nothing");
}

}  // namespace ridgewatt::cli
