// ridgewatt device: the boards that the program knows, and where each number comes from.
#include "ridgewatt/answer/analyze.h"
#include "ridgewatt/cli/options/parameters.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/report/board_report.h"

namespace ridgewatt::cli {
namespace {

void list(const Context& context) {
  std::vector<Board> boards;
  for (const auto& name : list_boards()) boards.push_back(load_board(name));
  print(context, report::board_list_table(boards));
}

void show(const Context& context, const answer::DeviceQuestion& asked) {
  print(context, report::board_result(load_board(asked.device), asked.list_modes));
}

}  // namespace

void add_device(CLI::App& app, Context& context) {
  auto* device = command_named(app, "device", "Boards: knobs, presets, peaks, provenance");
  device->require_subcommand(1);
  add_command(*device, context, "list", "The boards with their peaks in the top mode",
              "ridgewatt device list --format csv")
      ->callback([&context] { list(context); });
  define<answer::DeviceQuestion>(*device, context, answer::device_parameters(), show);
}

}  // namespace ridgewatt::cli
