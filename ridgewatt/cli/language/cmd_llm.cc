// ridgewatt llm: how fast a language model is on a board, and its energy per token.
#include "ridgewatt/cli/options/figure_files.h"
#include "ridgewatt/cli/options/parameters.h"
#include "ridgewatt/cli/options/workload_options.h"
#include "ridgewatt/report/language_report.h"

namespace ridgewatt::cli {
namespace {

struct LlmCommand {
  answer::LanguageRequest language;
  FigureFiles figures;
};

void run_llm(const Context& context, LlmCommand& command) {
  command.language.device = board_or_local(context, command.language.device);
  const answer::LanguageAnswer found = answer::ask_language(command.language);
  report::Result result = report::language_result(found, command.language.front, context.format);
  if (context.with_figures) result.json["figures"] = report::language_page(found).figures();
  print(context, result);
  command.figures.write([&] { return report::language_page(found).svg(); },
                        [&] { return report::language_page(found).html(); });
}

}  // namespace

void add_llm(CLI::App& app, Context& context) {
  const auto [command, options, add] = define<LlmCommand, &LlmCommand::language>(
      app, context, answer::llm_parameters(),
      "ridgewatt llm zoo:llama-3.1-8b --device agx-orin --quantization q4_k_m\n"
      "  ridgewatt llm zoo:llama-3.2-1b --device agx-orin-32gb@super --runtime "
      "tensorrt-llm --quantization int8 --prompt 512 --generate 256 --modes maxn\n"
      "  ridgewatt llm zoo:qwen3-4b --device all --modes maxn --pareto",
      run_llm);
  command.get_option("--context")->allow_extra_args(false);
  options.figures.add_to(command, "the front, time over context, roofline, memory");
}

}  // namespace ridgewatt::cli
