// Creates the options of a question from its table of parameters (answer/parameter.h).
//
//   add_parameters(*command, answer::estimate_parameters(), &options->question);
//   command->callback([=] {
//     check_parameters(*command, answer::estimate_parameters(), &options->question);
//   });
#pragma once

#include "ridgewatt/answer/parameter.h"
#include "ridgewatt/cli/command.h"

namespace ridgewatt::cli {

// `rows` and `part`, the member of the question that they set, must outlive `command`. `group`:
// heading of the options in the help; empty: the default heading.
void add_rows(CLI::App& command, std::span<const answer::Parameter> rows, void* part,
              const std::string& group = {});
// Adds all rows of a table except the option named `own`, which the command declares itself.
// `table` and `question` must outlive `command`.
void add_parameters(CLI::App& command, const answer::ParameterTable& table, void* question,
                    const std::string& own = {});

// Throws UsageError for an option that was given but has no effect on this question.
void check_parameters(const CLI::App& command, const answer::ParameterTable& table,
                      const void* question);

// Throws UsageError for an option of these rows that was given but has no effect.
void check_rows(const CLI::App& command, std::span<const answer::Parameter> rows);

// Throws UsageError for the first of the rows that was given: "--sweep has no effect with
// --samples".
void refuse_rows(const CLI::App& command, std::span<const answer::Parameter> rows,
                 const std::string& when, const std::string& advice);

// Returns the name of the option or argument of a row: "--max-power", "MODEL".
std::string option_name(const answer::Parameter& row);

}  // namespace ridgewatt::cli
