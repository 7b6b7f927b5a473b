// ridgewatt tune llm: the best mode for a language model, or one for each phase.
#include "ridgewatt/answer/language_tune.h"
#include "ridgewatt/cli/options/parameters.h"
#include "ridgewatt/cli/options/workload_options.h"
#include "ridgewatt/report/language_report.h"

namespace ridgewatt::cli {
namespace {

void run_tune_llm(const Context& context, answer::LanguageTuneRequest& asked) {
  asked.language.device = board_or_local(context, asked.language.device);
  answer::LanguageAnswer language = answer::ask_language(asked.language);
  print(context,
        report::language_tune_result(answer::tune_language(asked.goal, std::move(language)),
                                     asked.language.model, context.format));
}

}  // namespace

void add_tune_llm(CLI::App& tune, Context& context) {
  define<answer::LanguageTuneRequest>(
      tune, context, answer::tune_llm_parameters(),
      "ridgewatt tune llm zoo:llama-3.2-3b --device orin-nano-8gb@super --max-power 15\n"
      "  ridgewatt tune llm zoo:llama-3.1-8b --device agx-orin --phases --max-ttft 1s",
      run_tune_llm);
}

}  // namespace ridgewatt::cli
