// Results that would replace what a command reads are refused before it runs.
//
//   refuse_replaced_inputs(command);
#pragma once

#include <string>

#include "ridgewatt/cli/command.h"

namespace ridgewatt::cli {

// Notes the files that the options of `command` declare as inputs (input_file) in the register of
// io/input_files.h. UsageError where an option that names a result (output_file) leads to one of
// them, or two lead to one file. What a command reads beyond them, such as the weights of a model,
// is noted when it is read: write_output() refuses that.
void refuse_replaced_inputs(const CLI::App& command);

// "page" of "html:page": the file that a value of --figures names.
std::string figure_path(const std::string& value);

}  // namespace ridgewatt::cli
