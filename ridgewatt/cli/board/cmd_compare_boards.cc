// ridgewatt compare boards: what boards of one kind differ by, from the points that they share.
#include "ridgewatt/base/error.h"
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/report/campaign_report.h"

namespace ridgewatt::cli {
namespace {

struct CompareBoardsCommand {
  std::string database;
  store::SeriesFilter filter;
};

}  // namespace

void add_compare_boards(CLI::App& compare, Context& context) {
  auto* command = add_command(compare, context, "boards", "What boards of one kind differ by",
                              "ridgewatt compare boards campaign.db --device agx-orin");
  auto options = std::make_shared<CompareBoardsCommand>();
  const OptionAdder add(*command);
  add.input("STORE", options->database, "Store with points of several boards of a kind")
      ->required();
  add.text("--workload", options->filter.workload, "Only this workload");
  add.text("--kind", options->filter.kind, "Only training, inference, ..");
  add.text("--device", options->filter.board, "Only boards of this kind");
  command->callback([&context, options] {
    store::Store store(options->database, store::Database::Access::kReadOnly);
    print(context, report::board_effects_result(
                       campaign::merged_by_kind(store, options->filter, options->database)));
  });
}

}  // namespace ridgewatt::cli
