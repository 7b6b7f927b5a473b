// Shell completion: what may stand next on a command line, and the scripts that ask for it.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/cli/command.h"

namespace ridgewatt::cli {

struct Completion {
  std::string word;
  std::string description;
};

// The command that the words before the last one lead to.
const CLI::App& completed_command(const CLI::App& app, const std::vector<std::string>& words);
// Candidates for the last of `words` (empty: the next word): commands, options, and the values of
// options and arguments that are known by name (choices, boards, built-in models). None: a file.
std::vector<Completion> completions(const CLI::App& app, const std::vector<std::string>& words);

enum class Shell { kBash, kZsh, kFish };
constexpr auto enum_names(Shell) {
  return named<Shell>({{Shell::kBash, "bash"}, {Shell::kZsh, "zsh"}, {Shell::kFish, "fish"}});
}

// The script for that shell.
std::string completion_script(Shell shell);

}  // namespace ridgewatt::cli
