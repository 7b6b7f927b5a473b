// ridgewatt campaign submit and cancel: tasks to an engine, and back.
#include <algorithm>

#include "ridgewatt/base/error.h"
#include "ridgewatt/campaign/follow.h"
#include "ridgewatt/cli/campaign/campaign_commands.h"
#include "ridgewatt/cli/options/choice.h"
#include "ridgewatt/cli/options/vocabulary.h"

namespace ridgewatt::cli {
namespace {

struct SubmitCommand {
  std::string plan;
  campaign::ExecutorKind kind = campaign::ExecutorKind::kSlurm;
  campaign::ExecutorOptions options;
  bool dry_run = false;
};

// A host of boards that the plan does not have would never get a task.
void check_hosts(const campaign::Plan& plan, const std::vector<std::string>& hosts) {
  for (const auto& host : hosts) {
    const auto equals = host.find('=');
    if (equals != std::string::npos) plan.kind(host.substr(0, equals));
  }
}

void print_jobs(const Context& context, const std::vector<campaign::Job>& jobs) {
  report::Table table({{"board"}, {"executor"}, {"job"}, {"tasks"}});
  for (const auto& job : jobs) {
    table.add_row(
        {job.board_kind, job.executor, job.id, static_cast<std::int64_t>(job.tasks.size())});
  }
  if (context.json()) {
    print(context, Json{{"jobs", table.to_json()}});
  } else {
    print(context, table);
  }
}

void submit_campaign(const Context& context, const SubmitCommand& options) {
  const campaign::Plan plan = campaign::read_plan(options.plan);
  check_hosts(plan, options.options.hosts);
  if (options.dry_run) {
    std::cout << campaign::preview(plan, options.kind, options.options);
    return;
  }
  print_jobs(context, campaign::submit(options.plan, options.kind, options.options));
}

}  // namespace

void add_campaign_submit(CLI::App& campaign, Context& context) {
  auto* command = add_command(
      campaign, context, "submit", "Give the tasks to Slurm, GNU parallel or this machine",
      "ridgewatt campaign submit sweep7.json --executor parallel --host orin1 --host "
      "orin2");
  auto options = std::make_shared<SubmitCommand>();
  auto& engine = options->options;
  input_file(command->add_option("PLAN", options->plan, "Plan of the campaign"))->required();
  listed_choice(*command, "--executor", options->kind, "Engine that runs the tasks")
      ->capture_default_str();
  command->add_flag("--dry-run", options->dry_run, "Print the scripts and submit nothing");
  command->add_option("--program", engine.program, "Ridgewatt on the boards")
      ->capture_default_str();
  command->add_option("--partition", engine.partition, "Slurm: partition of the boards");
  command->add_option("--account", engine.account, "Slurm: account");
  quantity(command->add_option("--time", engine.time_limit_s,
                               "Slurm: time limit of a task, in place of the foretold one"),
           seconds().within(0, 3.15e7));
  command
      ->add_option("--sbatch-option", engine.sbatch_options,
                   "Slurm: another option of sbatch, --sbatch-option=--qos=low; may be repeated")
      ->allow_extra_args(false);
  command->add_option("--logs", engine.logs,
                      "Slurm: folder of the tasks' logs, which every board has");
  command
      ->add_option("--host", engine.hosts,
                   "parallel: a board to reach by ssh, HOST or KIND=HOST; may be repeated")
      ->allow_extra_args(false)
      ->delimiter(',');
  command->add_option("--ssh", engine.ssh, "parallel: command in place of ssh");
  quantity(command->add_option("--retries", engine.retries,
                               "parallel and local: times that a task is tried"),
           count().within(1, 1000))
      ->capture_default_str();
  command->add_option("--folder", engine.folder, "parallel and local: folder of scripts and logs");
  command->callback([&context, options] { submit_campaign(context, *options); });
}

void add_campaign_cancel(CLI::App& campaign, Context& context) {
  auto* command =
      add_command(campaign, context, "cancel", "End what runs; points that are there stay",
                  "ridgewatt campaign cancel sweep7.json");
  auto plan = std::make_shared<std::string>();
  input_file(command->add_option("PLAN", *plan, "Plan of the campaign"))->required();
  command->callback([plan] { campaign::cancel(*plan); });
}

}  // namespace ridgewatt::cli
