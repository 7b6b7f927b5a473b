// Shell completion: what may stand next on a command line, and the scripts that ask for it.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/cli/command.h"

namespace ridgewatt::cli {

struct Completion {
  std::string word;
  std::string description;
};

// Candidates for the last of `words` (empty: the next word): commands, options, and the values of
// options and arguments that are known by name (choices, boards, built-in models). None: a file.
std::vector<Completion> completions(const CLI::App& app, const std::vector<std::string>& words);

// The script for bash, zsh or fish.
std::string completion_script(const std::string& shell);

}  // namespace ridgewatt::cli
