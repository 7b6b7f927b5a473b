// tune on the boards of a campaign: every point that the search asks for is a task of an engine.
#include "ridgewatt/answer/tune_on_board.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/cli/answer/tune_command.h"
#include "ridgewatt/cli/options/choice.h"
#include "ridgewatt/cli/options/option_rules.h"
#include "ridgewatt/cli/options/vocabulary.h"

namespace ridgewatt::cli {
namespace {

constexpr char kCampaignGroup[] = "Boards of a campaign (--campaign PLAN)";

}  // namespace

void add_campaign_options(CLI::App& command, CampaignOptions& options) {
  auto& engine = options.executor;
  input_file(command.add_option("--campaign", options.plan,
                                "Plan of a campaign: its points are searched on its boards"))
      ->group(kCampaignGroup);
  quantity(command.add_option("--boards", options.boards, "Points that are profiled at once"),
           count().within(1, 1000))
      ->capture_default_str()
      ->group(kCampaignGroup);
  command
      .add_option("--board-kind", options.board_kind, "Kind of boards, where the plan has several")
      ->group(kCampaignGroup);
  listed_choice(command, "--executor", options.kind, "Engine that runs the tasks")
      ->capture_default_str()
      ->group(kCampaignGroup);
  command.add_option("--program", engine.program, "Ridgewatt on the boards")
      ->capture_default_str()
      ->group(kCampaignGroup);
  command.add_option("--partition", engine.partition, "Slurm: partition of the boards")
      ->group(kCampaignGroup);
  command.add_option("--account", engine.account, "Slurm: account")->group(kCampaignGroup);
  command
      .add_option("--host", engine.hosts,
                  "parallel: a board to reach by ssh, HOST or KIND=HOST; may be repeated")
      ->allow_extra_args(false)
      ->delimiter(',')
      ->group(kCampaignGroup);
  command.add_option("--ssh", engine.ssh, "parallel: command in place of ssh")
      ->group(kCampaignGroup);
}

void check_campaign_options(const CLI::App& command, const CampaignOptions& options) {
  if (options.plan.empty()) {
    refuse_without_effect(command,
                          {"--boards", "--board-kind", "--executor", "--program", "--partition",
                           "--account", "--host", "--ssh"},
                          "without --campaign");
    return;
  }
  refuse_without_effect(command,
                        {"MODEL", "--model", "--device", "--sweep", "--samples", "--workload",
                         "--reference", "--training", "--precision", "--runtime", "--dim",
                         "--optimizer", "--workers", "--loader-time", "--confidence",
                         "--keep-outliers", "--verify", "--minibatches", "--observations"},
                        "with --campaign", "the plan says what is measured, and how");
}

void tune_on_boards(const Context& context, const TuneOptions& options) {
  check_answer_table(context, options);
  const CampaignOptions& asked = options.campaign;
  const campaign::Plan plan = campaign::read_plan(asked.plan);
  if (asked.kind == campaign::ExecutorKind::kLocal && asked.boards > 1) {
    throw UsageError("this machine alone is one board", "--boards", "leave it out");
  }
  const auto executor = campaign::open_executor(asked.kind, plan.name, asked.executor);
  store::Store store(plan.store);
  campaign::SearchBoardsOptions boards;
  boards.boards = static_cast<std::size_t>(asked.boards);
  boards.executor = asked.executor;
  const answer::RunningCampaign running{plan, asked.board_kind, *executor, store, boards};
  answer::TuneAnswer found = answer::tune_on_campaign(options.asked(context), running);
  for (const auto& line : found.trace.left_out) remark(context, line);
  answer::add_holds(found, options.heat);
  print_answer(context, found, options.trace);
}

}  // namespace ridgewatt::cli
