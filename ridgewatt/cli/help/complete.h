// Shell completion: candidates for the next word of a command line.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/answer/words.h"
#include "ridgewatt/cli/command.h"

namespace ridgewatt::cli {

using Completion = answer::Word;

// Returns the command named by all words except the last.
const CLI::App& completed_command(const CLI::App& app, const std::vector<std::string>& words);
// Returns candidates for the last of `words`, which may be empty: commands, options, and
// known values of options and arguments (choices, boards, built-in models). Empty: file
// names.
std::vector<Completion> completions(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace ridgewatt::cli
