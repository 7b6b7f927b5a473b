// For tests only: a program that has the commands of both `ridgewatt` and `ridgewatt-lab`.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/laboratory/evaluate_commands.h"

namespace ridgewatt::cli {

inline std::span<const CommandEntry> every_command() {
  static const std::vector<CommandEntry> all = [] {
    std::vector<CommandEntry> commands(std::begin(kCommands), std::end(kCommands));
    for (auto& command : commands) {
      if (command.program == nullptr) continue;
      command = *std::find_if(
          std::begin(kLaboratoryCommands), std::end(kLaboratoryCommands),
          [&](const auto& one) { return std::string_view(one.name) == command.name; });
    }
    return commands;
  }();
  return all;
}

}  // namespace ridgewatt::cli
