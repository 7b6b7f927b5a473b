// The commands below `ridgewatt campaign`.
#pragma once

#include "ridgewatt/cli/command.h"

namespace ridgewatt::cli {

void add_campaign_plan(CLI::App& campaign, Context& context);
void add_campaign_submit(CLI::App& campaign, Context& context);
void add_campaign_status(CLI::App& campaign, Context& context);
void add_campaign_watch(CLI::App& campaign, Context& context);
void add_campaign_resume(CLI::App& campaign, Context& context);
void add_campaign_list(CLI::App& campaign, Context& context);
void add_campaign_collect(CLI::App& campaign, Context& context);
void add_campaign_cancel(CLI::App& campaign, Context& context);
void add_campaign_run(CLI::App& campaign, Context& context);

}  // namespace ridgewatt::cli
