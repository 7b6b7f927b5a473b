// What an answer about language models leaves out.
#pragma once

#include "ridgewatt/answer/language.h"
#include "ridgewatt/cli/command.h"

namespace ridgewatt::cli {

// What ask_language left out, as remarks: the first few and how many more.
void say_left_out(const Context& context, const answer::LanguageAnswer& found);

}  // namespace ridgewatt::cli
