// ridgewatt campaign list: the campaigns of a store, whose they are and from which plan.
#include "ridgewatt/campaign/identity.h"
#include "ridgewatt/cli/campaign/campaign_commands.h"
#include "ridgewatt/cli/options/utc_cell.h"
#include "ridgewatt/cli/options/vocabulary.h"

namespace ridgewatt::cli {
namespace {

report::Cell known(const std::string& text) {
  return text.empty() ? report::Cell() : report::Cell(text);
}

void list_campaigns(const Context& context, const std::string& location) {
  store::Store store(location, store::Database::Access::kReadOnly);
  report::Table table({{"campaign"},
                       {.name = "fingerprint", .heading = "plan"},
                       {"owner"},
                       {.name = "created", .rank = 1},
                       {.name = "workload", .rank = 1},
                       {.name = "kind", .rank = 1},
                       {"points"},
                       {"boards"}});
  for (const auto& held : campaign::campaigns_in(store)) {
    const auto& entry = held.entry;
    table.add_row({entry.name, known(entry.fingerprint), known(entry.owner),
                   utc_cell(entry.created_unix_s), known(held.workload), known(held.kind),
                   static_cast<std::int64_t>(held.points), static_cast<std::int64_t>(held.boards)});
  }
  print(context, table);
}

}  // namespace

void add_campaign_list(CLI::App& campaign, Context& context) {
  auto* command = add_command(campaign, context, "list",
                              "The campaigns of a store, their owners and the plans they are of",
                              "ridgewatt campaign list points.db");
  auto location = std::make_shared<std::string>();
  input_file(
      command->add_option("STORE", *location, "Store: a file, or postgresql://USER@HOST/DATABASE"))
      ->required();
  command->callback([&context, location] { list_campaigns(context, *location); });
}

}  // namespace ridgewatt::cli
