// Rejects options that have no effect in the form in which a command is used.
//
//   refuse_without_effect(command, {"--sweep", "MODEL"}, "with --samples");
#pragma once

#include <initializer_list>
#include <string>

#include "ridgewatt/cli/command.h"

namespace ridgewatt::cli {

// Throws UsageError "--sweep has no effect with --samples" for the first of `options` that was
// given. `options` are names as they were declared; names that `command` does not have are ignored.
// `when`: "with --samples"; `advice`: what to do.
void refuse_without_effect(const CLI::App& command, std::initializer_list<const char*> options,
                           std::string_view when, std::string_view advice = "omit it");

// Does the same for all options under a heading of the help.
void refuse_group(const CLI::App& command, const std::string& group, std::string_view when,
                  std::string_view advice = "omit it");

// Returns whether the option was given.
bool option_given(const CLI::App& command, std::string_view name);

}  // namespace ridgewatt::cli
