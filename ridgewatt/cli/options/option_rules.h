// Options that say nothing in the form in which a command is used are refused, not ignored.
//
//   refuse_without_effect(command, {"--sweep", "MODEL"}, "with --samples");
#pragma once

#include <initializer_list>
#include <string>

#include "ridgewatt/cli/command.h"

namespace ridgewatt::cli {

// UsageError "--sweep has no effect with --samples" for the first of `options` (names as they were
// declared) that was given. `advice` says what would give it one. Names that `command` does not
// have are passed over.
void refuse_without_effect(const CLI::App& command, std::initializer_list<const char*> options,
                           const std::string& when, const std::string& advice = "omit it");

// Whether an option of that name was given.
bool option_given(const CLI::App& command, const std::string& name);

}  // namespace ridgewatt::cli
