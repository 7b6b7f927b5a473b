// ridgewatt llm: how fast a language model is on a board, and at how many joules per token.
#include "ridgewatt/base/text.h"
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/language/left_out.h"
#include "ridgewatt/cli/options/board_option.h"
#include "ridgewatt/cli/options/figure_files.h"
#include "ridgewatt/cli/options/parameters.h"
#include "ridgewatt/report/language_report.h"

namespace ridgewatt::cli {
namespace {

struct LlmCommand {
  answer::LanguageRequest language;
  FigureFiles figures;
};

void print_llm_text(const Context& context, const answer::LanguageAnswer& found, bool front) {
  for (const auto& line : report::language_headline(found)) {
    std::cout << escape_terminal(line) << '\n';
  }
  std::cout << '\n';
  print(context, report::language_table(found, {.for_people = true, .front = front}));
  if (found.settings.size() == 1) {
    const Board& board = found.boards[found.settings.front().board];
    const answer::LanguageRow& first = found.rows[found.shown];
    const std::string mode = escape_terminal(mode_name(board, first.mode));
    std::cout << "\nA step in " << mode << " waits most for "
              << escape_terminal(first.forecast.limited_by) << ". Over contexts:\n\n";
    print_aside(context, report::language_context_table(found));
    if (!found.weights.front().steps.empty()) {
      std::cout << "\nBoth phases on the roofline of " << mode << ":\n\n";
      print_aside(context, report::language_phase_table(found));
    }
  }
  for (const auto& line : report::language_remarks(found)) remark(context, line);
}

void print_llm(const Context& context, const LlmCommand& command,
               const answer::LanguageAnswer& found) {
  if (context.json()) {
    Json json = report::language_json(found, command.language.front);
    if (context.with_figures) json["figures"] = report::language_page(found).figures();
    return print(context, json);
  }
  if (!context.csv()) return print_llm_text(context, found, command.language.front);
  print(context,
        report::language_table(found, {.for_people = false, .front = command.language.front}));
}

void run_llm(const Context& context, LlmCommand command) {
  command.language.device = board_or_local(context, command.language.device);
  const answer::LanguageAnswer found = answer::ask_language(command.language);
  say_left_out(context, found);
  print_llm(context, command, found);
  command.figures.write([&] { return report::language_page(found).svg(); },
                        [&] { return report::language_page(found).html(); });
}

}  // namespace

void add_llm(CLI::App& app, Context& context) {
  auto* command =
      add_command(app, context, "llm", "Speed, power and joules per token of a language model",
                  "ridgewatt llm zoo:llama-3.1-8b --device agx-orin --quantization q4_k_m\n"
                  "  ridgewatt llm zoo:llama-3.2-1b --device agx-orin-32gb@super --runtime "
                  "tensorrt-llm --quantization int8 --prompt 512 --generate 256 --modes maxn\n"
                  "  ridgewatt llm zoo:qwen3-4b --device all --modes maxn --pareto");
  auto options = std::make_shared<LlmCommand>();
  add_parameters(*command, answer::llm_parameters(), &options->language);
  command->get_option("--context")->allow_extra_args(false);
  options->figures.add_to(*command, "the front, time over context, roofline, memory");
  command->callback([&context, options] { run_llm(context, *options); });
}

}  // namespace ridgewatt::cli
