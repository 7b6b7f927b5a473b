// ridgewatt llm: how fast a language model is on a board, and its energy per token.
#include "ridgewatt/cli/options/figure_files.h"
#include "ridgewatt/cli/options/parameters.h"
#include "ridgewatt/report/language_report.h"

namespace ridgewatt::cli {
namespace {

struct LlmCommand {
  answer::LanguageRequest language;
  FigureFiles figures;
};

void run_llm(const Context& context, LlmCommand& command) {
  const answer::LanguageAnswer found = answer::ask_language(command.language);
  report::Result result = report::language_result(found, command.language.front, context.format);
  if (context.with_figures) result.json["figures"] = report::language_page(found).figures();
  print(context, result);
  command.figures.write([&] { return report::language_page(found).svg(); },
                        [&] { return report::language_page(found).html(); });
}

}  // namespace

void add_llm(CLI::App& app, Context& context) {
  const auto [command, options, add] =
      define<LlmCommand, &LlmCommand::language>(app, context, answer::llm_parameters(), run_llm);
  command.get_option("--context")->allow_extra_args(false);
  options.figures.add_to(command, "the front, time over context, roofline, memory");
}

}  // namespace ridgewatt::cli
