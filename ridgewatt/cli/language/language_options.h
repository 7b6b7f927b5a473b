// What `llm` and `tune llm` share: the model, the boards, the request.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/answer/language.h"
#include "ridgewatt/cli/command.h"

namespace ridgewatt::cli {

struct LanguageOptions {
  std::string model, device, runtime, quantization;
  double reserve_gb = 0;
  answer::LanguageQuestion question;

  void add_to(CLI::App& command);
  // Reads the model and asks of it.
  answer::LanguageAnswer ask(const Context& context, const CLI::App& command) const;
};

// What ask_language left out, as remarks: the first few and how many more.
void say_left_out(const Context& context, const answer::LanguageAnswer& found);

}  // namespace ridgewatt::cli
