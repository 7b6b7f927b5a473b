// The options of a question, from its table of parameters (answer/parameter.h).
//
//   add_parameters(*command, answer::estimate_parameters(), &options->question);
//   command->callback([=] { check_parameters(*command, answer::estimate_parameters(), &question);
//   });
#pragma once

#include "ridgewatt/answer/parameter.h"
#include "ridgewatt/cli/command.h"

namespace ridgewatt::cli {

// Both must outlive `command`: the rows and what they set.
// `group`: the heading of these options in the help; empty: the default heading.
void add_rows(CLI::App& command, std::span<const answer::Parameter> rows, void* part,
              const std::string& group = {});
// But for the option of the name `own`, which the command declares itself.
void add_parameters(CLI::App& command, const answer::ParameterTable& table, void* question,
                    const std::string& own = {});

// UsageError for an option that was given and has no effect on this question.
void check_parameters(const CLI::App& command, const answer::ParameterTable& table,
                      const void* question);

// The same of rows alone.
void check_rows(const CLI::App& command, std::span<const answer::Parameter> rows);

// UsageError for the first of the rows that was given: "--sweep has no effect with --samples".
void refuse_rows(const CLI::App& command, std::span<const answer::Parameter> rows,
                 const std::string& when, const std::string& advice);

// The name of the option, or argument, of a row: "--max-power", "MODEL".
std::string option_name(const answer::Parameter& row);

}  // namespace ridgewatt::cli
