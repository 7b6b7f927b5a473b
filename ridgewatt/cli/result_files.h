// Results that would replace what a command reads are refused before it runs.
//
//   refuse_replaced_inputs(command);
#pragma once

#include <string>

#include "ridgewatt/cli/command.h"

namespace ridgewatt::cli {

// Notes the files that the options of `command` declare as inputs (input_file) in the register of
// io/input_files.h. UsageError if an output (output_file) is also an input, or two outputs are the
// same file. What a command reads beyond them, such as the weights of a model, is noted when it is
// read; write_output() then refuses to overwrite it.
void refuse_replaced_inputs(const CLI::App& command);

// "page" of "html:page": the file that a value of --figures names.
std::string figure_path(const std::string& value);

}  // namespace ridgewatt::cli
