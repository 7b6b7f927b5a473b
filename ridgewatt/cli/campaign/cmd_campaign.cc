// ridgewatt campaign: one workload profiled over many boards.
#include "ridgewatt/cli/campaign/campaign_commands.h"
#include "ridgewatt/cli/commands.h"

namespace ridgewatt::cli {

void add_campaign(CLI::App& app, Context& context) {
  CLI::App* campaign = command_named(
      app, "campaign", "Profiling over many boards: plan, submit, watch, list, collect");
  campaign->require_subcommand(1);
  add_campaign_plan(*campaign, context);
  add_campaign_submit(*campaign, context);
  add_campaign_status(*campaign, context);
  add_campaign_watch(*campaign, context);
  add_campaign_resume(*campaign, context);
  add_campaign_list(*campaign, context);
  add_campaign_collect(*campaign, context);
  add_campaign_cancel(*campaign, context);
  add_campaign_run(*campaign, context);
}

}  // namespace ridgewatt::cli
