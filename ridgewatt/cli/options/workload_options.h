// Shared by commands about a workload on a board.
#pragma once

#include <optional>
#include <string>

#include "ridgewatt/cli/command.h"
#include "ridgewatt/workload/deployed_workload.h"

namespace ridgewatt::cli {

inline constexpr char kBoardHelp[] = "Board or board file; default: this machine";

// Returns `device` or, if it is empty, the name of the board of this machine, and prints a remark
// with this name. Throws UsageError if this machine is not a known board.
std::string board_or_local(const Context& context, const std::string& device);

// Adds --strict; see say_caveats().
void add_strict(CLI::App& command, Context& context);
// Prints a remark for each part of a model's cost that is an assumption or not counted, except for
// JSON, which has keys for this (add_caveats). With --strict, throws NotSupportedError if a part is
// not counted.
void say_caveats(const Context& context, const workload::CostCaveats& caveats);
// Prints a result after its caveats.
void print(const Context& context, const std::optional<workload::CostCaveats>& caveats,
           const report::Result& result);
// Throws like say_caveats(), but prints nothing. For commands that print their result first.
void refuse_uncounted(const Context& context, const workload::CostCaveats& caveats);

}  // namespace ridgewatt::cli
