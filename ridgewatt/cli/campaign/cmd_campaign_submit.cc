// ridgewatt campaign submit and cancel: gives tasks to an engine, and withdraws them.
#include <fmt/format.h>

#include "ridgewatt/campaign/follow.h"
#include "ridgewatt/cli/options/executor_options.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/report/campaign_report.h"

namespace ridgewatt::cli {
namespace {

struct SubmitCommand {
  std::string plan;
  campaign::ExecutorKind kind = campaign::ExecutorKind::kSlurm;
  campaign::ExecutorOptions options;
  bool dry_run = false;
};

// Throws if a host has a kind of board that the plan lacks: the host would never get a task.
void check_hosts(const campaign::Plan& plan, const std::vector<std::string>& hosts) {
  for (const auto& host : hosts) {
    const auto equals = host.find('=');
    if (equals != std::string::npos) plan.kind(host.substr(0, equals));
  }
}

void submit_campaign(const Context& context, const SubmitCommand& options) {
  const campaign::Plan plan = campaign::read_plan(options.plan);
  check_hosts(plan, options.options.hosts);
  check_table_options(context, report::job_result(std::vector<campaign::Job>{}));
  if (options.dry_run) {
    std::cout << campaign::preview(plan, options.kind, options.options);
    return;
  }
  const auto jobs = campaign::submit(options.plan, options.kind, options.options);
  print(context, report::job_result(jobs));
  if (!jobs.empty()) return;
  std::size_t points = 0;
  for (const auto& kind : plan.boards) points += kind.points.size();
  remark(context,
         fmt::format("nothing was submitted, because all points of the plan are measured ({}): "
                     "`ridgewatt campaign collect {}` writes them, `ridgewatt campaign rerun {}` "
                     "measures points again",
                     points, options.plan, options.plan));
}

void cancel_campaign(const Context&, const std::string& plan) {
  campaign::cancel(plan);
}

}  // namespace

void add_campaign_submit(CLI::App& campaign, Context& context) {
  const auto [command, options, add] = define<SubmitCommand>(
      campaign, context, "submit", "Submit the tasks to Slurm, to GNU parallel or to this machine",
      "ridgewatt campaign submit sweep7.json --executor parallel --host orin1 --host "
      "orin2",
      submit_campaign);
  auto& engine = options.options;
  add.input("PLAN", options.plan, "Plan of the campaign")->required();
  add_executor(add, options.kind);
  add.flag("--dry-run", options.dry_run, "Print the scripts, but submit nothing");
  add_board_access(add, engine);
  add.optional("--time", engine.time_limit_s, seconds().within(0, 3.15e7),
               "Time limit of a task, in place of the predicted one");
  add.number("--limit-factor", engine.limit_factor, number().within(0, 1e6),
             "Time limit of a point, as a multiple of its predicted time (0: no limit)");
  add.number("--limit-floor", engine.limit_floor_s, seconds().within(0, 3.15e7),
             "Lower bound of a point's time limit");
  add.number("--set-aside", engine.set_aside, count().within(0, 1e6),
             "Set a board aside after it fails this many points in a row (0: never)");
  add.repeated("--sbatch-option", engine.sbatch_options,
               "Slurm: additional option for sbatch, such as --sbatch-option=--qos=low");
  add.text("--logs", engine.logs,
           "Slurm: folder for the tasks' logs; it must exist on every board");
  add_hosts(add, engine);
  add.number("--retries", engine.retries, count().within(1, 1000),
             "parallel and local: maximum number of attempts per task");
  add.text("--folder", engine.folder, "parallel and local: folder of scripts and logs");
}

void add_campaign_cancel(CLI::App& campaign, Context& context) {
  const auto [command, plan, add] = define<std::string>(
      campaign, context, "cancel", "Stop the running tasks; measured points remain",
      "ridgewatt campaign cancel sweep7.json", cancel_campaign);
  add.input("PLAN", plan, "Plan of the campaign")->required();
}

}  // namespace ridgewatt::cli
