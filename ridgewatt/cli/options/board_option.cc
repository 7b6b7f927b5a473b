#include "ridgewatt/cli/options/board_option.h"

#include "ridgewatt/base/error.h"
#include "ridgewatt/platform/local_device.h"

namespace ridgewatt::cli {

std::string board_or_at_hand(const Context& context, const std::string& device) {
  if (!device.empty() && device != "local") return device;
  const auto board = platform::board_at_hand(*platform::open_local_device("local").sysfs);
  if (!board && !device.empty()) return device;  // load_board() says what can be asked instead
  if (!board) {
    throw UsageError("no board given", "--device NAME", "`ridgewatt device list` shows them");
  }
  remark(context, "of the board at hand, " + *board);
  return *board;
}

}  // namespace ridgewatt::cli
