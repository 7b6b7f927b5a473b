#include "ridgewatt/cli/options/board_option.h"

#include "ridgewatt/base/error.h"
#include "ridgewatt/platform/local_device.h"

namespace ridgewatt::cli {

std::string board_or_local(const Context& context, const std::string& device) {
  if (!device.empty() && device != "local") return device;
  const auto board = platform::local_board(*platform::open_local_device("local").sysfs);
  if (!board && !device.empty()) return device;  // load_board() says what can be asked instead
  if (!board) {
    throw UsageError("no board given", "--device NAME", "`ridgewatt device list` shows them");
  }
  remark(context, "of this machine, " + *board);
  return *board;
}

}  // namespace ridgewatt::cli
