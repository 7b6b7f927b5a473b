// What commands about a workload on a board share.
#pragma once

#include <string>

#include "ridgewatt/cli/command.h"
#include "ridgewatt/workload/deployed_workload.h"

namespace ridgewatt::cli {

inline constexpr char kBoardHelp[] = "Board or board file; default: this machine";

// `device` as it was given. Empty: the board that this machine is, with a remark that names it;
// UsageError where it is none that is known.
std::string board_or_local(const Context& context, const std::string& device);

// Adds --strict, which say_caveats() obeys.
void add_strict(CLI::App& command, Context& context);
// Says what the cost of a model leaves out and what it rests on: one remark for each, but for JSON,
// where keys say it (add_caveats). With --strict throws NotSupportedError when something is not
// counted.
void say_caveats(const Context& context, const workload::CostCaveats& caveats);
// The second half of that alone, for what prints its result first.
void refuse_uncounted(const Context& context, const workload::CostCaveats& caveats);

}  // namespace ridgewatt::cli
