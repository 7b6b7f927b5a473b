// Prevents a command from overwriting files that it reads. Stops a command early if it cannot write
// its result. Called before the command runs.
//
//   check_results(command);
#pragma once

#include <string>

#include "ridgewatt/cli/command.h"

namespace ridgewatt::cli {

// Registers the input files of `command` (options declared with input_file()) in io/input_files.h.
// Throws UsageError if an output (option declared with output_file()) is also an input, or if two
// outputs are the same file. Other files that the command reads, such as external weights of a
// model, are registered when they are read; write_output() then rejects them. Throws the errors of
// check_output() (io/output_file.h).
void check_results(const CLI::App& command);

// Returns the file named by a value of --figures: "page" for "html:page".
std::string figure_path(const std::string& value);

}  // namespace ridgewatt::cli
