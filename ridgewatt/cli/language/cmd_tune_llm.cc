// ridgewatt tune llm: the best mode for a language model, or one for each phase.
#include "ridgewatt/answer/language_tune.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/language/left_out.h"
#include "ridgewatt/cli/options/board_option.h"
#include "ridgewatt/cli/options/parameters.h"
#include "ridgewatt/report/language_report.h"

namespace ridgewatt::cli {
namespace {

void run_tune_llm(const Context& context, answer::LanguageTuneRequest asked) {
  asked.language.device = board_or_local(context, asked.language.device);
  answer::LanguageAnswer language = answer::ask_language(asked.language);
  say_left_out(context, language);
  const auto found = answer::tune_language(asked.goal, std::move(language));
  if (context.json()) {
    print(context, report::language_tune_json(found));
  } else {
    if (!context.csv()) {
      for (const auto& line : report::language_tune_headline(found)) {
        std::cout << escape_terminal(line) << '\n';
      }
      std::cout << '\n';
    }
    print(context, report::language_tune_table(found));
    for (const auto& line : report::language_remarks(found.language)) remark(context, line);
  }
  const answer::TunedLanguage& first = found.settings.front();
  if (first.best) return;
  throw NoSolutionError(first.fits ? "no mode keeps the limits" : "the model fits no board asked",
                        asked.language.model,
                        first.fits ? "loosen a limit" : "take a smaller quantization");
}

}  // namespace

void add_tune_llm(CLI::App& tune, Context& context) {
  auto* command = add_command(
      tune, context, "llm", "The best mode for a language model, or one for each phase",
      "ridgewatt tune llm zoo:llama-3.2-3b --device orin-nano-8gb@super --max-power 15\n"
      "  ridgewatt tune llm zoo:llama-3.1-8b --device agx-orin --phases --max-ttft 1s");
  auto asked = std::make_shared<answer::LanguageTuneRequest>();
  add_parameters(*command, answer::tune_llm_parameters(), asked.get());
  command->callback([&context, asked] { run_tune_llm(context, *asked); });
}

}  // namespace ridgewatt::cli
