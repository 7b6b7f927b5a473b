// ridgewatt campaign: one workload profiled over many boards.
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/report/campaign_report.h"

namespace ridgewatt::cli {

AddCommand add_campaign_plan, add_campaign_submit, add_campaign_status, add_campaign_watch,
    add_campaign_boards, add_campaign_rerun, add_campaign_resume, add_campaign_collect,
    add_campaign_cancel, add_campaign_run;

namespace {

void list_campaigns(const Context& context, const std::string& location) {
  store::Store store(location, store::Database::Access::kReadOnly);
  print(context, report::campaigns_table(campaign::campaigns_in(store)));
}

}  // namespace

void add_campaign_list(CLI::App& campaign, Context& context) {
  const auto [command, location, add] = define<std::string>(
      campaign, context, "list", "The campaigns in a store, with their owners and plans",
      "ridgewatt campaign list points.db", list_campaigns);
  add.input("STORE", location, "Store: a file, or postgresql://USER@HOST/DATABASE")->required();
}

void add_campaign(CLI::App& app, Context& context) {
  CLI::App* campaign = command_named(
      app, "campaign", "Profiling over many boards: plan, submit, watch, list, collect");
  campaign->require_subcommand(1);
  for (AddCommand* add :
       {add_campaign_plan, add_campaign_submit, add_campaign_status, add_campaign_watch,
        add_campaign_resume, add_campaign_boards, add_campaign_rerun, add_campaign_list,
        add_campaign_collect, add_campaign_cancel, add_campaign_run})
    add(*campaign, context);
}

}  // namespace ridgewatt::cli
