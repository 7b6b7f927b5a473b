// ridgewatt campaign list: the campaigns of a store, whose they are and from which plan.
#include "ridgewatt/cli/campaign/campaign_commands.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/report/campaign_report.h"

namespace ridgewatt::cli {

void add_campaign_list(CLI::App& campaign, Context& context) {
  auto* command = add_command(campaign, context, "list",
                              "The campaigns of a store, their owners and the plans they are of",
                              "ridgewatt campaign list points.db");
  auto location = std::make_shared<std::string>();
  OptionAdder(*command)
      .input("STORE", *location, "Store: a file, or postgresql://USER@HOST/DATABASE")
      ->required();
  command->callback([&context, location] {
    store::Store store(*location, store::Database::Access::kReadOnly);
    print(context, report::campaigns_table(campaign::campaigns_in(store)));
  });
}

}  // namespace ridgewatt::cli
