// tune on the boards of a campaign. Each point that the search requests is a task of an engine.
#include "ridgewatt/answer/tune_on_board.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/cli/answer/tune_command.h"
#include "ridgewatt/cli/options/executor_options.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/report/tune_report.h"

namespace ridgewatt::cli {
void add_campaign_options(CLI::App& command, CampaignOptions& options) {
  const OptionAdder add(command, kCampaignGroup);
  auto& engine = options.executor;
  add.input("--campaign", options.plan,
            "Plan of a campaign: search among its points, on its boards");
  add.number("--boards", options.boards, count().within(1, 1000),
             "Number of points that are profiled at the same time");
  add.board("--board-kind", options.board_kind, "Kind of board, if the plan has several");
  add_executor(add, options.kind);
  add_board_access(add, engine);
  add_hosts(add, engine);
}

void tune_on_boards(const Context& context, const TuneOptions& options) {
  check_answer_table(context, options);
  const CampaignOptions& asked = options.campaign;
  const campaign::Plan plan = campaign::read_plan(asked.plan);
  if (asked.kind == campaign::ExecutorKind::kLocal && asked.boards > 1) {
    throw UsageError("--boards has no effect with --device local, which is one board", "",
                     "omit it");
  }
  const auto executor = campaign::open_executor(asked.kind, plan.name, asked.executor);
  store::Store store(plan.store);
  campaign::SearchBoardsOptions boards;
  boards.boards = static_cast<std::size_t>(asked.boards);
  boards.executor = asked.executor;
  const answer::RunningCampaign running{plan, asked.board_kind, *executor, store, boards};
  answer::TuneAnswer found = answer::tune_on_campaign(options.asked(), running);
  answer::add_holds(found, options.heat);
  print(context, found.source.caveats, report::tune_result(found, options.trace));
}

}  // namespace ridgewatt::cli
