#include "ridgewatt/cli/options/workload_options.h"

#include "ridgewatt/base/error.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/device/board_names.h"
#include "ridgewatt/platform/local_device.h"

namespace ridgewatt::cli {

std::string board_or_local(const Context& context, const std::string& device) {
  if (!device.empty() && device != "local") return device;
  const auto board = platform::local_board(*platform::open_local_device("local").sysfs);
  if (!board && (!device.empty() || has_local_board()))
    return kLocalBoard;  // load_board() may throw with advice
  if (!board) {
    throw UsageError("the command needs a board", "",
                     "give --device NAME; `ridgewatt device list` prints the names");
  }
  remark(context, "the board is this machine: " + *board);
  return *board;
}

void add_strict(CLI::App& command, Context& context) {
  OptionAdder(command).flag("--strict", context.strict,
                            "Exit with status 1 if something could not be counted");
}

void say_caveats(const Context& context, const workload::CostCaveats& caveats) {
  if (!context.json()) {
    for (const auto& line : caveats.lines()) remark(context, line);
  }
  refuse_uncounted(context, caveats);
}

void print(const Context& context, const std::optional<workload::CostCaveats>& caveats,
           const report::Result& result) {
  if (caveats) say_caveats(context, *caveats);
  print(context, result);
}

void refuse_uncounted(const Context& context, const workload::CostCaveats& caveats) {
  if (!context.strict || caveats.uncounted.empty()) return;
  const workload::Uncounted& first = caveats.uncounted.front();
  const std::size_t more = caveats.uncounted.size() - 1;
  throw NotSupportedError(
      "the cost of an operator of the model is not known (--strict)",
      first.full_name() + (more > 0 ? " and " + std::to_string(more) + " more" : ""),
      "omit --strict to leave it out");
}

}  // namespace ridgewatt::cli
