// ridgewatt device: the boards that the program knows, and where each number comes from.
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/report/board_report.h"

namespace ridgewatt::cli {
namespace {

struct ShowOptions {
  std::string name;
  bool modes = false;
};

void list(const Context& context) {
  std::vector<Board> boards;
  for (const auto& name : list_boards()) boards.push_back(load_board(name));
  print(context, report::board_list_table(boards));
}

void show(const Context& context, const ShowOptions& options) {
  const Board board = load_board(options.name);
  if (context.json()) {
    print(context, report::board_to_json(board, options.modes));
  } else if (options.modes) {
    print(context, report::mode_table(board));
  } else {
    print(context, report::board_fact_table(board));
    if (context.csv()) return;
    std::cout << '\n' << "Presets of " << board.find_bsp().title << ":\n";
    print_aside(context, report::preset_table(board));
  }
}

}  // namespace

void add_device(CLI::App& app, Context& context) {
  auto* device = command_named(app, "device", "Boards: knobs, presets, peaks, provenance");
  device->require_subcommand(1);
  add_command(*device, context, "list", "The boards with their peaks in the top mode",
              "ridgewatt device list --format csv")
      ->callback([&context] { list(context); });

  auto options = std::make_shared<ShowOptions>();
  auto* command = add_command(*device, context, "show", "One board, every number with its source",
                              "ridgewatt device show agx-orin@jp5.1 --list-modes --format csv");
  command->add_option("BOARD", options->name, "Name, NAME@BSP, or path of a board file")
      ->required();
  command->add_flag("--list-modes", options->modes, "List every power mode");
  command->callback([&context, options] { show(context, *options); });
}

}  // namespace ridgewatt::cli
