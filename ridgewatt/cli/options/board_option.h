// The board that a command on a twin is asked of.
#pragma once

#include <string>

#include "ridgewatt/cli/command.h"

namespace ridgewatt::cli {

inline constexpr char kBoardHelp[] = "Board or board file; default: this machine";

// `device` as it was given. Empty: the board that this machine is, with a remark that names it;
// UsageError where it is none that is known.
std::string board_or_local(const Context& context, const std::string& device);

}  // namespace ridgewatt::cli
