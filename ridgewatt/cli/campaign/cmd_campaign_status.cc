// ridgewatt campaign status, watch and resume: the progress of a campaign, and its continuation.
#include <fmt/format.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/interrupt_note.h"
#include "ridgewatt/base/plural.h"
#include "ridgewatt/campaign/follow.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/report/campaign_report.h"

namespace ridgewatt::cli {
namespace {

struct FollowCommand {
  std::string plan;
  campaign::FollowOptions options;
};

void show_status(const Context& context, const std::string& path) {
  const campaign::Plan plan = campaign::read_plan(path);
  print(context, report::standing_result(plan.name, campaign::look(plan)));
}

void follow_campaign(const Context& context, FollowCommand& options) {
  check_table_options(context, report::standing_result("", {}));
  auto& follow = options.options;
  std::string last;
  follow.say = [&](const std::string& text) { remark(context, text); };
  follow.report = [&](const campaign::Standing& standing) {
    const std::string line = report::standing_line(standing);
    if (line != last) remark(context, line);
    last = line;
  };
  InterruptNote note;
  note.set("the tasks continue; `ridgewatt campaign watch " + options.plan +
           "` watches them again");
  const auto standing = campaign::follow(options.plan, follow);
  print(context, report::standing_result(campaign::read_plan(options.plan).name, standing));
  if (standing.complete() || follow.once) return;
  std::cout.flush();
  const auto& faults = standing.faults;
  for (const auto& kind : standing.kinds) {
    if (kind.set_aside == 0 || kind.blocked.empty()) continue;
    throw Error(campaign::missing_text(standing), report::blocked_line(kind),
                "after a repair run `ridgewatt campaign boards PLAN --readmit SERIAL`");
  }
  throw Error(campaign::missing_text(standing) + ", and no task is running",
              faults.empty() ? "" : faults.front().why,
              fmt::format("tasks were submitted {}; give a higher --attempts",
                          counted(follow.attempts, "time")));
}

void add_attempts(CLI::App& command, FollowCommand& options) {
  const OptionAdder add(command);
  add.input("PLAN", options.plan, "Plan of the campaign")->required();
  add.number("--attempts", options.options.attempts, count().within(1, 1e6),
             "Maximum number of times to submit a task");
}

}  // namespace

void add_campaign_status(CLI::App& campaign, Context& context) {
  const auto [command, plan, add] = define<std::string>(
      campaign, context, "status",
      "Progress, state of each board, slow tasks, and the reasons for held and failed tasks",
      "ridgewatt campaign status sweep7.json", show_status);
  OptionAdder(command).input("PLAN", plan, "Plan of the campaign")->required();
}

void add_campaign_watch(CLI::App& campaign, Context& context) {
  const auto [command, options, add] = define<FollowCommand>(
      campaign, context, "watch",
      "Watch the campaign until every point is measured; release held tasks and resubmit lost ones",
      "ridgewatt campaign watch sweep7.json", follow_campaign);
  add_attempts(command, options);
  add.number("--interval", options.options.interval_s, seconds().within(0.1, 86400),
             "Time between two checks");
  add.number("--at-most", options.options.at_most_s, seconds().within(0, 3.15e8),
             "Stop watching after this time (0: never)");
}

void add_campaign_resume(CLI::App& campaign, Context& context) {
  const auto [command, options, add] = define<FollowCommand>(
      campaign, context, "resume", "Submit the missing points that are in no job, then exit",
      "ridgewatt campaign resume sweep7.json", follow_campaign);
  options.options.once = true;
  add_attempts(command, options);
}

}  // namespace ridgewatt::cli
